import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildSchema, parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { openHome } from '../../src/db/home.ts'
import { apiOn } from '../support/api.ts'
import { weir } from '../support/cli.ts'
import { engineOn } from '../support/engine.ts'
import { tempDir } from '../support/temp.ts'

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'AGENTS.md',
  'CHANGELOG.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const textOf = (page: string) => readFileSync(page, 'utf8')
const blocks = (page: string, language: string) =>
  [...textOf(page).matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map((match) => match[1] ?? '')

describe('the documents', () => {
  it.each(pages)('%s links only to what is there', (page) => {
    const links = [...textOf(page).matchAll(/\]\(([^)#]+)[^)]*\)/g)].map((match) => match[1] ?? '')
    const missing = links.filter((link) => !link.startsWith('http') && !existsSync(join(dirname(page), link)))
    expect(missing).toEqual([])
  })

  it.each(pages)('%s names only files of this repository that are there', (page) => {
    const paths = [...textOf(page).matchAll(/`((?:src|test|scripts|bench|docs|fixtures|drizzle)\/[\w./-]*)`/g)].map(
      (match) => match[1] ?? '',
    )
    expect(paths.filter((path) => !existsSync(path))).toEqual([])
  })

  it('show operations of the API that run', async () => {
    const schema = buildSchema(readFileSync('schema.graphql', 'utf8'))
    const home = openHome(tempDir())
    const engine = engineOn(home, { opencode: 'fixtures/opencode/database' })
    await engine.sync()
    const api = apiOn(home)
    const examples = pages.flatMap((page) => blocks(page, 'graphql'))
    expect(examples.length).toBeGreaterThan(4)
    for (const example of examples) {
      expect(validate(schema, parse(example)), example).toEqual([])
      if (/^query/.test(example)) expect(Object.keys(await api.ask(example)).length, example).toBeGreaterThan(0)
    }
  })

  it('name commands that are there', async () => {
    const home = tempDir()
    const { stdout } = await weir(['--help'], { HOME: home, WEIR_HOME: join(home, 'weir') })
    const named = new Set(
      pages.flatMap((page) => [...textOf(page).matchAll(/(?:`|npx )weir ([a-z]+)/g)].map((match) => match[1] ?? '')),
    )
    expect([...named].filter((name) => !new RegExp(`^  ${name}\\b`, 'm').test(stdout))).toEqual([])
  })
})

import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { seededApi } from '../support/seeded-api.ts'

const CHROMIUM = '/usr/bin/chromium'
const isMissing = !existsSync(CHROMIUM)
const ARGS = [
  '--no-sandbox',
  '--headless',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
]

/** A page of a browser without any network but this machine, with what it asked for elsewhere and what it complained about. */
async function offlinePage() {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS })
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  const elsewhere: string[] = []
  const complaints: string[] = []
  await page.route('**/*', (route) => {
    const { hostname, protocol } = new URL(route.request().url())
    if (hostname === '127.0.0.1' || protocol === 'data:' || protocol === 'blob:') return route.continue()
    elsewhere.push(route.request().url())
    return route.abort()
  })
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return { page, elsewhere, complaints }
}

describe.skipIf(isMissing)(`GraphiQL in Chromium${isMissing ? ` (skipped: there is no ${CHROMIUM})` : ''}`, () => {
  it('runs its start query and a subscription without any network', async () => {
    const t = seededApi()
    t.seed.session('a', { title: 'A title to be seen' })
    t.seed.run()
    const { url } = await t.listen()
    const { page, elsewhere, complaints } = await offlinePage()
    await page.goto(url)
    const result = page.locator('.result-window')
    await page.locator('.graphiql-query-editor').getByText('NewestSessions').waitFor()
    const run = async (operation: string) => {
      await page.locator('.graphiql-execute-button').click()
      await page.getByRole('menuitem', { name: operation }).click()
    }
    await run('NewestSessions')
    await result.getByText('A title to be seen').waitFor()
    await run('SyncProgress')
    await result.getByText('syncProgress').waitFor()
    expect(await result.textContent()).toContain('RUNNING')
    t.seed.store.sqlite.exec('update sync_runs set status = 2')
    await result.getByText('COMPLETED').waitFor()
    expect(elsewhere).toEqual([])
    expect(complaints).toEqual([])
  })

  it('opens a link with a query in the editor, not as an answer', async () => {
    const { url } = await seededApi().listen()
    const { page } = await offlinePage()
    await page.goto(`${url}?query=${encodeURIComponent('{ server { version } }')}`)
    await page.locator('.graphiql-query-editor').getByText('version').waitFor()
  })

  it('asks for the token where there is one, and gives it to queries and subscriptions', async () => {
    const t = seededApi()
    t.seed.run()
    const { url } = await t.listen({ token: 'secret' })
    const { page } = await offlinePage()
    page.on('dialog', (dialog) => void dialog.accept('secret'))
    await page.goto(url)
    const result = page.locator('.result-window')
    await page.locator('.graphiql-query-editor').getByText('NewestSessions').waitFor()
    await page.locator('.graphiql-execute-button').click()
    await page.getByRole('menuitem', { name: 'SyncProgress' }).click()
    await result.getByText('RUNNING').waitFor()
  })
})

describe.skipIf(isMissing)(`A blob in Chromium${isMissing ? ` (skipped: there is no ${CHROMIUM})` : ''}`, () => {
  it.each([
    ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = "It ran"</script></svg>'],
    ['text/html', '<script>document.title = "It ran"</script>'],
  ])('of type %s is downloaded and never run', async (mediaType, data) => {
    const t = seededApi()
    const sha256 = '11'.repeat(32)
    t.seed.store.sqlite
      .prepare('insert into blobs (sha256, media_type, byte_length, data) values (unhex(?), ?, ?, ?)')
      .run(sha256, mediaType, data.length, Buffer.from(data))
    const { url } = await t.listen()
    const { page } = await offlinePage()
    const download = page.waitForEvent('download')
    await expect(page.goto(new URL(`/blobs/${sha256}`, url).href)).rejects.toThrow(/[Dd]ownload|ERR_ABORTED/)
    expect((await download).suggestedFilename()).toBe(sha256)
    expect(await page.title()).not.toBe('It ran')
  })
})

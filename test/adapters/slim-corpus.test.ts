import { describe, expect, it } from 'vitest'
import { slim, slimFile } from '../../scripts/slim-corpus.ts'

describe('slimming a corpus', () => {
  it('keeps ids, structure and short values, and replaces long texts', () => {
    expect(slim({ id: 'msg_1', n: [1, null], text: 'short', output: 'x'.repeat(81) })).toEqual({
      id: 'msg_1',
      n: [1, null],
      text: 'short',
      output: '[slimmed: 81 characters]',
    })
  })

  it("replaces an agent's own texts and schemas however short", () => {
    expect(slim({ system: 'be kind', tools: [{ name: 'bash' }], text: 'go on', synthetic: true })).toEqual({
      system: '[slimmed: 7 characters]',
      tools: ['[slimmed: 17 characters]'],
      text: '[slimmed: 5 characters]',
      synthetic: true,
    })
  })

  it('leaves data URIs decodable and JSON inside of strings JSON', () => {
    expect(slim({ url: `data:image/png;base64,${'A'.repeat(200)}` })).toEqual({
      url: expect.stringMatching(/^data:image\/png;base64,[A-Za-z0-9+/=]+$/),
    })
    expect(slim({ raw: JSON.stringify({ a: 'y'.repeat(90) }) })).toEqual({ raw: '{"a":"[slimmed: 90 characters]"}' })
  })

  it('takes lines one by one, and leaves a torn one torn', () => {
    expect(slimFile(`{"a":"${'z'.repeat(90)}"}\n{"torn":`)).toBe('{"a":"[slimmed: 90 characters]"}\n{"torn":')
  })
})

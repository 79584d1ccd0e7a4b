/** Small deterministic generator (mulberry32): the same seed makes the same data on every machine. */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed
  }

  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  /** Words by a Zipf-like law over a vocabulary of 30,000, mixed with paths and ids, about `length` characters. */
  text(length: number): string {
    const words: string[] = []
    let size = 0
    while (size < length) {
      const word = this.word()
      words.push(word)
      size += word.length + 1
    }
    return words.join(' ')
  }

  private word(): string {
    const kind = this.next()
    if (kind < 0.03) return `src/${this.below(90).toString(36)}/file${this.below(400)}.ts`
    if (kind < 0.05) return this.below(2 ** 31).toString(16)
    if (kind < 0.08) return ['naïve', 'größe', 'данные', '数据', 'データ', '🧪'][this.below(6)] ?? ''
    const rank = Math.floor(30_000 ** this.next())
    return WORD_STEMS[rank % WORD_STEMS.length] + (rank < WORD_STEMS.length ? '' : rank.toString(36))
  }
}

const WORD_STEMS =
  'the a of to in is it that for on with as be at this by from or an are was we you not have can will if but all when there which one out up then test file error return value read write call line code add fix run build type name list map set get new old key data user time last first next path'.split(
    ' ',
  )

/** One benchmark: what it does, and what it says at its end. */
export interface Case {
  readonly name: string
  /** One line: the work, and the baseline that it is measured against in the same run. */
  readonly title: string
  /** What must hold. */
  readonly floor: string
  /** Takes so long that it isn't among all of them. */
  readonly isOnlyByName?: true
  run(): Promise<Figure>
}

export interface Figure {
  /** E.g. `2.1 × its CPU`. */
  readonly figure: string
  readonly holds: boolean
  /** What it was made of. */
  readonly details: Readonly<Record<string, string | number>>
}

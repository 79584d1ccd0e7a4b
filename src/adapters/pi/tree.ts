/** A line refers to something that only the lines before the cursor tell: the file must be read from its start. */
export class NeedsWholeReading extends Error {}

interface Node {
  readonly id: string | null
  readonly parent: Node | null
  /** Its own message, if it makes one. */
  readonly messageId: string | null
  /** The nearest message at or above it. */
  readonly nearest: string | null
}

/** What is kept of a tree between runs: its leaf. */
export interface Leaf {
  readonly id: string | null
  readonly nearest: string | null
}

/**
 * The tree that a session's entries make. In a reading from the start it knows all of them; in one that goes on it knows the leaf, which is
 * enough as long as each entry follows the one before.
 */
export class Tree {
  /** Null in a reading that goes on. */
  readonly #all: Node[] | null
  readonly #byId = new Map<string, Node>()
  #leaf: Node | null
  /** A damaged line: the first id that nobody has is taken to have stood there. */
  #gap: { readonly parent: Node | null } | null = null
  /** Something is off the path, or may be. */
  hasBranch = false

  constructor(leaf: Leaf | null, isWhole: boolean) {
    this.#all = isWhole ? [] : null
    this.#leaf = leaf === null ? null : { ...leaf, parent: null, messageId: null }
  }

  get leaf(): Leaf | null {
    return this.#leaf === null ? null : { id: this.#leaf.id, nearest: this.#leaf.nearest }
  }

  get isWhole(): boolean {
    return this.#all !== null
  }

  /** Adds an entry as the new leaf; returns the nearest message above it. `parentId` undefined: it follows the last one. */
  add(id: string | null, parentId: string | null | undefined, messageId: string | null): string | null {
    const parent = this.#parentOf(parentId)
    if (parent !== this.#leaf) this.#branch()
    const nearest = parent?.nearest ?? null
    const node = { id, parent, messageId, nearest: messageId ?? nearest }
    this.#all?.push(node)
    if (id !== null && this.#all !== null) this.#byId.set(id, node)
    this.#leaf = node
    return nearest
  }

  /** The leaf is said to be another entry; null: none. */
  moveTo(id: string | null): void {
    if (id === (this.#leaf?.id ?? null)) return
    this.#branch()
    const node = id === null ? null : this.#byId.get(id)
    if (node !== undefined) this.#leaf = node
  }

  /** A line stood here that can't be read. */
  skip(): void {
    this.#gap = { parent: this.#leaf }
  }

  /** Messages that are not on the walk from the leaf to the root. */
  offPath(): Set<string> {
    const off = new Set<string>()
    for (const { messageId } of this.#all ?? []) if (messageId !== null) off.add(messageId)
    for (let node = this.#leaf; node !== null; node = node.parent)
      if (node.messageId !== null) off.delete(node.messageId)
    return off
  }

  #parentOf(parentId: string | null | undefined): Node | null {
    if (parentId === undefined || parentId === (this.#leaf?.id ?? null)) return this.#leaf
    if (parentId === null) return null
    const known = this.#byId.get(parentId)
    if (known !== undefined) return known
    // It may be one of those that only a reading from the start knows.
    if (this.#leaf !== null) this.#expectWhole()
    return this.#fillGap(parentId)
  }

  /** The damaged line was this entry; null when none is left that could have been. */
  #fillGap(id: string): Node | null {
    const gap = this.#gap
    if (gap === null) return null
    this.#gap = null
    const node = { id, parent: gap.parent, messageId: null, nearest: gap.parent?.nearest ?? null }
    this.#byId.set(id, node)
    if (gap.parent === this.#leaf) this.#leaf = node
    return node
  }

  #expectWhole(): void {
    if (this.#all === null) throw new NeedsWholeReading()
  }

  #branch(): void {
    this.#expectWhole()
    this.hasBranch = true
  }
}

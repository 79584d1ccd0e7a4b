/**
 * The tree that `parentUuid` makes of a transcript's lines. It tells the nearest message above a line, lines that stand in the file
 * twice, and where the person went back and took another way.
 */
const KINDS = ['prompt', 'tool', 'assistant', 'other'] as const
export type NodeKind = (typeof KINDS)[number]

export interface TreeNode {
  readonly uuid: string
  readonly parent: string | null
  /** Native id of the message that it is part of, else of the nearest one above it; undefined: not known any more. */
  readonly message: string | null | undefined
  readonly kind: NodeKind
  /** Tells a line that stands there again from another one with the same id. */
  readonly print: number
  /** Whether a message stands below it. */
  isLeft: boolean
}

/** Lines that a whole reading remembers: some 40 MB. A person who goes back further than that leaves no trace. */
const MOST_NODES = 150_000
/** Lines that a cursor remembers: more than a response with many parallel calls and its results takes. */
const KEPT_NODES = 64

export class Tree {
  readonly #nodes = new Map<string, TreeNode>()
  /** The last of them. */
  readonly #recent: TreeNode[] = []

  get(uuid: string): TreeNode | undefined {
    return this.#nodes.get(uuid)
  }

  get nodes(): Iterable<TreeNode> {
    return this.#nodes.values()
  }

  add(node: TreeNode): void {
    this.#put(node)
    if (node.kind !== 'other') this.#leave(node.parent)
    if (this.#nodes.size <= MOST_NODES) return
    for (const oldest of this.#nodes.keys()) {
      this.#nodes.delete(oldest)
      break
    }
  }

  #put(node: TreeNode): void {
    this.#nodes.set(node.uuid, node)
    this.#recent.push(node)
    if (this.#recent.length > KEPT_NODES) this.#recent.shift()
  }

  /** Marks what stands above a new message, up to the next message. */
  #leave(parent: string | null): void {
    for (let uuid = parent; uuid !== null; ) {
      const above = this.#nodes.get(uuid)
      if (above === undefined || above.isLeft) return
      above.isLeft = true
      if (above.kind !== 'other') return
      uuid = above.parent
    }
  }

  encode(): readonly EncodedNode[] {
    return this.#recent.map(({ uuid, parent, message, kind, print, isLeft }, n) => {
      const before = this.#recent[n - 1]
      const said =
        message === uuid ? OWN : message === undefined ? UNKNOWN : message === before?.message ? SAME : message
      return [
        uuid,
        parent !== null && parent === before?.uuid ? SAME : parent,
        said,
        KINDS.indexOf(kind),
        print,
        isLeft ? 1 : 0,
      ]
    })
  }

  static decode(encoded: readonly EncodedNode[]): Tree {
    const tree = new Tree()
    let before: TreeNode | undefined
    for (const [uuid, above, said, kind, print, isLeft] of encoded) {
      const parent = above === SAME ? (before?.uuid ?? null) : above
      const message = said === OWN ? uuid : said === UNKNOWN ? undefined : said === SAME ? before?.message : said
      before = { uuid, parent, message, kind: KINDS[kind] ?? 'other', print, isLeft: isLeft === 1 }
      tree.#put(before)
    }
    return tree
  }
}

/** What stands for an id in an encoded node: its own, none that is known any more, the same as in the node before. */
const OWN = 0
const UNKNOWN = 1
const SAME = 2

export type EncodedNode = readonly [
  uuid: string,
  parent: string | typeof SAME | null,
  message: string | typeof OWN | typeof UNKNOWN | typeof SAME | null,
  kind: number,
  print: number,
  isLeft: 0 | 1,
]

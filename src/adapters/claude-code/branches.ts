import type { Tree, TreeNode } from './tree.ts'

/** A prompt that was given where another way had been gone already. */
export interface Branch {
  readonly parent: string
  readonly prompt: string
}

/**
 * Messages on branches that the person left. Where a prompt stands beside earlier lines, all of one parent, those are alternatives:
 * the one that leads to the newest message is the active one. Branches of parallel tool calls are none: their results belong to the
 * response above them, wherever the next response hangs.
 */
export function leftBehind(tree: Tree, branches: readonly Branch[]): ReadonlySet<string> {
  const children = childrenOf(tree)
  const isActive = ancestorsOfNewest(tree)
  const off = new Set<string>()
  for (const parent of new Set(branches.map((branch) => branch.parent))) {
    const prompts = new Set(branches.filter((branch) => branch.parent === parent).map(({ prompt }) => prompt))
    const ways = waysFrom(children.get(parent) ?? [], prompts)
    const active = ways.find((way) => way.some(({ uuid }) => isActive.has(uuid))) ?? ways.at(-1)
    for (const way of ways) if (way !== active) for (const node of way) addBelow(node, children, off)
  }
  return messagesOf(tree, off)
}

function childrenOf(tree: Tree): ReadonlyMap<string, readonly TreeNode[]> {
  const children = new Map<string, TreeNode[]>()
  for (const node of tree.nodes) {
    if (node.parent === null) continue
    const known = children.get(node.parent)
    if (known === undefined) children.set(node.parent, [node])
    else known.push(node)
  }
  return children
}

function ancestorsOfNewest(tree: Tree): ReadonlySet<string> {
  let newest: TreeNode | undefined
  for (const node of tree.nodes) if (node.kind !== 'other') newest = node
  const above = new Set<string>()
  for (let node = newest; node !== undefined && !above.has(node.uuid); ) {
    above.add(node.uuid)
    node = node.parent === null ? undefined : tree.get(node.parent)
  }
  return above
}

/** Lines of one parent in the ways that begin with a prompt each; the first way with whatever came first. */
function waysFrom(siblings: readonly TreeNode[], prompts: ReadonlySet<string>): readonly (readonly TreeNode[])[] {
  const ways: TreeNode[][] = []
  for (const node of siblings) {
    const last = ways.at(-1)
    if (last === undefined || prompts.has(node.uuid)) ways.push([node])
    else last.push(node)
  }
  return ways
}

function addBelow(node: TreeNode, children: ReadonlyMap<string, readonly TreeNode[]>, off: Set<string>): void {
  const waiting = [node]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (off.has(next.uuid)) continue
    off.add(next.uuid)
    waiting.push(...(children.get(next.uuid) ?? []))
  }
}

/** Messages of which every line is off, and of results those whose response is off, too. */
function messagesOf(tree: Tree, off: ReadonlySet<string>): ReadonlySet<string> {
  const stays = new Set<string>()
  for (const node of tree.nodes)
    if (node.kind !== 'other' && typeof node.message === 'string' && !off.has(node.uuid)) stays.add(node.message)
  const left = new Set<string>()
  for (const node of tree.nodes) {
    if (node.kind === 'other' || typeof node.message !== 'string' || stays.has(node.message)) continue
    const above = node.parent === null ? undefined : tree.get(node.parent)
    const isResultOfActive = node.kind === 'tool' && typeof above?.message === 'string' && stays.has(above.message)
    if (!isResultOfActive) left.add(node.message)
  }
  return left
}

import DataLoader from 'dataloader'
import type { Scope } from './scope.ts'

/** Arguments that all keys of one batch share; `name` tells them apart. */
export interface BatchArgs {
  readonly name: string
}
const NO_ARGS: BatchArgs = { name: '' }

type Load<Key, Value, Args> = (
  scope: Scope,
  keys: readonly Key[],
  args: Args,
) => readonly (Value | Error)[] | Promise<readonly (Value | Error)[]>

/**
 * Collects the keys that an operation asks for at the same level and loads them together, so that the number of statements doesn't
 * grow with the page (design §8.4). Declared once as a constant; its loaders belong to the scope.
 */
export class Batch<Key, Value, Args extends BatchArgs = BatchArgs> {
  private readonly loaders = new WeakMap<object, Map<string, DataLoader<Key, Value, string | number>>>()
  private readonly loadAll: Load<Key, Value, Args>
  private readonly cacheKey: ((key: Key) => string | number) | null

  /** Without `cacheKey`, nothing is kept once it is handed out. */
  constructor(load: Load<Key, Value, Args>, cacheKey: ((key: Key) => string | number) | null) {
    this.loadAll = load
    this.cacheKey = cacheKey
  }

  load(scope: Scope, key: Key, args: Args): Promise<Value> {
    let loaders = this.loaders.get(scope.generation)
    if (loaders === undefined) {
      loaders = new Map()
      this.loaders.set(scope.generation, loaders)
    }
    let loader = loaders.get(args.name)
    if (loader === undefined) {
      loader = new DataLoader<Key, Value, string | number>(
        async (keys) => this.loadAll(scope, keys, args),
        this.cacheKey === null ? { cache: false } : { cacheKeyFn: this.cacheKey },
      )
      loaders.set(args.name, loader)
    }
    return loader.load(key)
  }
}

/** A batch whose keys share no arguments. */
export class Lookup<Key, Value> {
  private readonly batch: Batch<Key, Value>

  constructor(load: (scope: Scope, keys: readonly Key[]) => readonly Value[], cacheKey: (key: Key) => string | number) {
    this.batch = new Batch<Key, Value>(load, cacheKey)
  }

  load(scope: Scope, key: Key): Promise<Value> {
    return this.batch.load(scope, key, NO_ARGS)
  }
}

export const itself = <T extends string | number>(key: T): T => key

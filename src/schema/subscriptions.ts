import { followProgress } from '../resolvers/sync-progress.ts'
import { builder } from './builder.ts'
import { SyncProgressType } from './sync-run.ts'

builder.subscriptionFields((t) => ({
  syncProgress: t.field({
    type: SyncProgressType,
    description:
      'How far a run is: where it stands, then each change, until it ends. Whoever reads slowly misses states in between, never the last one.',
    args: {
      run: t.arg.id({
        description: 'The run. When left out: the run that somebody waits for (MANUAL or STARTUP), now or next.',
      }),
    },
    subscribe: (_, { run }, { scope }) => followProgress(scope, run),
    resolve: (run) => run,
  }),
}))

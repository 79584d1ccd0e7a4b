/** CPU time (user and system) that `work` took, in ms: on a shared machine it says more than the wall clock. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

export async function wallMs(work: () => unknown): Promise<number> {
  const before = performance.now()
  await work()
  return performance.now() - before
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Median CPU of one call of `work`, over `rounds` rounds of `calls` calls each. */
export async function medianCpuMs(rounds: number, calls: number, work: () => unknown): Promise<number> {
  const each: number[] = []
  for (let round = 0; round < rounds; round++) {
    each.push(
      (await cpuMs(async () => {
        for (let call = 0; call < calls; call++) await work()
      })) / calls,
    )
  }
  return median(each)
}

import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient as createSseClient } from 'graphql-sse'
import { createClient as createWsClient } from 'graphql-ws'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { FakeWriter } from '../support/fake-writer.ts'
import { PROGRESS } from '../support/seed.ts'
import { type Answer, type SeededApi, seededApi } from '../support/seeded-api.ts'

const FOLLOW = 'subscription { syncProgress { status sessionsDone } }'

/** An API with a run that goes on, and a way to move it. */
async function running(heartbeatMs = 200) {
  const writer = new FakeWriter()
  const t = seededApi({ writer })
  const id = t.seed.run()
  const listener = await t.listen({ heartbeatMs, initTimeoutMs: 200 })
  const update = t.seed.store.sqlite.prepare('update sync_runs set status = ?, progress = ? where id = ?')
  const move = (done: number, isOver = false) => {
    update.run(isOver ? 2 : 1, JSON.stringify({ ...PROGRESS, sessionsDone: done, lastAdvancedAt: Date.now() }), id)
    writer.wake()
  }
  return { ...t, ...listener, writer, move }
}

const wsClient = (url: string, more: object = {}) => {
  const client = createWsClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    lazy: true,
    retryAttempts: 0,
    ...more,
  })
  onTestFinished(() => client.dispose())
  return client
}
const sseClient = (url: string) => {
  const client = createSseClient({ url, retryAttempts: 0 })
  onTestFinished(() => client.dispose())
  return client
}

/** A socket that speaks graphql-transport-ws without any help. */
async function rawSocket(url: string, { init = true } = {}) {
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws')
  const messages: Answer[] = []
  let closed: number | null = null
  socket.on('message', (data) => messages.push(JSON.parse(String(data))))
  socket.on('close', (code) => {
    closed = code
  })
  socket.on('error', () => {})
  onTestFinished(() => socket.terminate())
  await new Promise((resolve) => socket.once('open', resolve))
  const send = (message: object) => socket.send(JSON.stringify(message))
  if (init) send({ type: 'connection_init' })
  const until = async (isTrue: () => boolean) => {
    const deadline = performance.now() + 5000
    while (!isTrue()) {
      if (performance.now() > deadline)
        throw new Error(`Not seen. Messages: ${JSON.stringify(messages)}, closed: ${closed}`)
      await delay(5)
    }
  }
  return { socket, messages, send, until, closed: () => closed }
}

const settled = async (t: Pick<SeededApi, 'api'>): Promise<void> => {
  for (let i = 0; i < 200 && t.api.services.wakeups.size > 0; i++) await delay(10)
  expect(t.api.services.wakeups.size).toBe(0)
}

describe.each([
  ['WebSocket', (url: string) => wsClient(url)],
  ['SSE', (url: string) => sseClient(url)],
])('a subscription over %s', (_, clientOf) => {
  it('gets where the run stands, each change, and the end', async () => {
    const t = await running()
    const seen: number[] = []
    for await (const { data } of clientOf(t.url).iterate<Answer>({ query: FOLLOW })) {
      seen.push(data.syncProgress.sessionsDone)
      t.move(seen.length, seen.length === 3)
    }
    expect(seen).toEqual([0, 1, 2, 3])
    await settled(t)
  })

  it('is ended by its client, and nothing of it is left', async () => {
    const t = await running()
    for await (const _event of clientOf(t.url).iterate({ query: FOLLOW })) break
    await settled(t)
    expect(t.writer.listeners.size).toBe(0)
  })

  it('is completed when the server closes', async () => {
    const t = await running()
    const seen: unknown[] = []
    const over = (async () => {
      for await (const event of clientOf(t.url).iterate({ query: FOLLOW })) {
        seen.push(event)
        void t.close()
      }
    })()
    await over
    expect(seen).toHaveLength(1)
  })

  it('answers queries and errors too', async () => {
    const t = await running()
    const results: Answer[] = []
    for await (const result of clientOf(t.url).iterate({ query: '{ __typename }' })) results.push(result)
    expect(results).toEqual([{ data: { __typename: 'Query' } }])
  })
})

describe('a WebSocket', () => {
  it('follows graphql-transport-ws: init, ack, subscribe, next, complete, ping, pong', async () => {
    const t = await running()
    const { messages, send, until } = await rawSocket(t.url)
    await until(() => messages.some(({ type }) => type === 'connection_ack'))
    send({ type: 'ping' })
    await until(() => messages.some(({ type }) => type === 'pong'))
    send({ id: '1', type: 'subscribe', payload: { query: '{ __typename }' } })
    await until(() => messages.some(({ type }) => type === 'complete'))
    expect(messages.slice(2)).toEqual([
      { id: '1', type: 'next', payload: { data: { __typename: 'Query' } } },
      { id: '1', type: 'complete' },
    ])
  })

  it('that sends what it must not is closed with the protocol’s code', async () => {
    const t = await running()
    const early = await rawSocket(t.url, { init: false })
    early.send({ id: '1', type: 'subscribe', payload: { query: '{ __typename }' } })
    await early.until(() => early.closed() !== null)
    expect(early.closed()).toBe(4401)
    const twice = await rawSocket(t.url)
    twice.send({ type: 'connection_init' })
    await twice.until(() => twice.closed() !== null)
    expect(twice.closed()).toBe(4429)
    const nonsense = await rawSocket(t.url)
    nonsense.socket.send('nonsense')
    await nonsense.until(() => nonsense.closed() !== null)
    expect(nonsense.closed()).toBe(4400)
    const silent = await rawSocket(t.url, { init: false })
    await silent.until(() => silent.closed() !== null)
    expect(silent.closed()).toBe(4408)
    const large = await rawSocket(t.url)
    large.socket.send('x'.repeat(2 * 1024 * 1024))
    await large.until(() => large.closed() !== null)
    expect(large.closed()).toBe(1009)
  })

  it('gets errors of parsing and validation with their codes, and stays open', async () => {
    const t = await running()
    const { messages, send, until, closed } = await rawSocket(t.url)
    await until(() => messages.length === 1)
    send({ id: '1', type: 'subscribe', payload: { query: '{ nothing' } })
    send({ id: '2', type: 'subscribe', payload: { query: '{ nothing }' } })
    send({ id: '3', type: 'subscribe', payload: { query: 'subscription { syncProgress(run: "x") { status } }' } })
    await until(() => messages.filter(({ type }) => type === 'error' || type === 'next').length === 3)
    const codeOf = (id: string) => {
      const { payload } = messages.find((message) => message.id === id)
      return (Array.isArray(payload) ? payload : payload.errors)[0].extensions
    }
    expect(codeOf('1')).toEqual({ code: 'GRAPHQL_PARSE_FAILED' })
    expect(codeOf('2')).toEqual({ code: 'GRAPHQL_VALIDATION_FAILED' })
    expect(codeOf('3')).toEqual({ code: 'BAD_USER_INPUT' })
    expect(closed()).toBeNull()
  })

  it('carries only so many operations at a time', async () => {
    const t = await running()
    const { messages, send, until } = await rawSocket(t.url)
    await until(() => messages.length === 1)
    for (let i = 0; i <= 100; i++) send({ id: String(i), type: 'subscribe', payload: { query: FOLLOW } })
    await until(() => messages.some(({ type }) => type === 'error'))
    expect(messages.find(({ type }) => type === 'error').payload[0].extensions.code).toBe('LIMIT_EXCEEDED')
  })

  it('is asked for the token in connection_init', async () => {
    const t = seededApi({ writer: new FakeWriter() })
    const { url } = await t.listen({ token: 'secret' })
    const ask = async (payload: object) => {
      const { socket, messages, send } = await rawSocket(url, { init: false })
      const over = new Promise<number>((resolve) => socket.once('close', resolve))
      send({ type: 'connection_init', payload })
      const acknowledged = (async () => {
        while (messages.length === 0) await delay(5)
        return 0
      })()
      return Promise.race([over, acknowledged])
    }
    expect(await ask({})).toBe(4403)
    expect(await ask({ token: 'wrong' })).toBe(4403)
    expect(await ask({ token: 'secret' })).toBe(0)
  })

  it('that is dead is ended by the heartbeat', async () => {
    const t = await running()
    const { socket, messages, send, until } = await rawSocket(t.url)
    await until(() => messages.length === 1)
    send({ id: '1', type: 'subscribe', payload: { query: FOLLOW } })
    await until(() => messages.length === 2)
    // It reads nothing any more, pings included.
    socket.pause()
    await settled(t)
  })
})

describe('a subscriber that stops reading', () => {
  const BIG = 'subscription { syncProgress { sessionsDone run { problems { nodes { message } } } } }'
  const BIG_BYTES = 500_000
  const EVENTS = 100

  /** A run each of whose events is half a megabyte, with a client that takes the first one and then reads no more. */
  async function withBigEvents() {
    const t = await running(60_000)
    const problem = t.seed.problem('file:1', { message: 'x'.repeat(BIG_BYTES) })
    t.seed.store.sqlite.prepare('insert into run_problems values (1, ?)').run(problem)
    return t
  }

  /** Moves the run as fast as a healthy reader follows, and says by how much memory outside the heap and in it grew. */
  async function moveOn(t: Awaited<ReturnType<typeof withBigEvents>>): Promise<number> {
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    let done = 0
    for await (const { data } of wsClient(t.url).iterate<Answer>({ query: FOLLOW })) {
      expect(data.syncProgress.sessionsDone).toBe(done)
      if (done === EVENTS) break
      done += 1
      t.move(done)
      await delay(2)
    }
    return process.memoryUsage().rss - before
  }

  it('over WebSocket delays nobody, piles up nothing, and gets the newest state when it goes on', async () => {
    const t = await withBigEvents()
    const slow = await rawSocket(t.url)
    await slow.until(() => slow.messages.length === 1)
    slow.send({ id: '1', type: 'subscribe', payload: { query: BIG } })
    await slow.until(() => slow.messages.length === 2)
    slow.socket.pause()
    expect(await moveOn(t)).toBeLessThan((EVENTS * BIG_BYTES) / 2)
    slow.socket.resume()
    await slow.until(() => slow.messages.at(-1)?.payload?.data?.syncProgress?.sessionsDone === EVENTS)
    expect(slow.messages.length).toBeLessThan(EVENTS / 2)
  })

  it('over SSE delays nobody, piles up nothing, and is gone when its connection is', async () => {
    const t = await withBigEvents()
    const socket = connect(t.port, '127.0.0.1')
    onTestFinished(() => {
      socket.destroy()
    })
    const path = `/graphql?query=${encodeURIComponent(BIG)}`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${t.port}\r\nAccept: text/event-stream\r\n\r\n`)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.pause()
    expect(await moveOn(t)).toBeLessThan((EVENTS * BIG_BYTES) / 2)
    socket.destroy()
    await settled(t)
  })
})

describe('10,000 subscriptions later', () => {
  it('nothing is left of them: no waiter, no listener, no timer, no growing heap', async () => {
    const t = await running()
    const socket = await rawSocket(t.url)
    await socket.until(() => socket.messages.length === 1)
    const subscribe = async (from: number, count: number) => {
      for (let i = from; i < from + count; i += 50) {
        const before = socket.messages.length
        for (let j = i; j < i + 50; j++) socket.send({ id: String(j), type: 'subscribe', payload: { query: FOLLOW } })
        await socket.until(() => socket.messages.length === before + 50)
        for (let j = i; j < i + 50; j++) socket.send({ id: String(j), type: 'complete' })
        socket.messages.length = 0
      }
      await settled(t)
    }
    await subscribe(0, 1000)
    const timers = process.getActiveResourcesInfo().length
    globalThis.gc?.()
    const heap = process.memoryUsage().heapUsed
    await subscribe(1000, 9000)
    globalThis.gc?.()
    expect(t.writer.listeners.size).toBe(0)
    expect(process.getActiveResourcesInfo().length - timers).toBeLessThan(10)
    // Without a forced collection the figure is rough; a leak of a loader or a document each would be far more.
    expect(process.memoryUsage().heapUsed - heap).toBeLessThan(60 * 1024 * 1024)
  })
})

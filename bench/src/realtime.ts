// Measures realtime sessions with stages that answer at once: the time from the end of speech to the first audio byte,
// beside a bare WebSocket echo in the same run, and the processor time and memory of idle and of talking sessions. The
// server is on processor 0, backend and clients on processor 1.
//   pnpm --filter @svc/bench realtime [-- --turns 40 --seconds 10 --profile FILE]
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mockOptions, writeMockLauncher } from '@svc/backend-mock/script'
import { median } from './load.ts'
import { freePort, type Measured, startMeasured } from './processes.ts'
import { type CpuProfile, sumProfile } from './profile-folders.ts'
import { makeSound, measureEcho, openSession, type SessionClient } from './realtime-client.ts'
import { startServer } from './server.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    turns: { type: 'string', default: '40' },
    seconds: { type: 'string', default: '10' },
    idle: { type: 'string', default: '100' },
    talking: { type: 'string', default: '10' },
    profile: { type: 'boolean', default: false },
  },
})
const [turns, seconds, idle, talking] = [
  Number(values.turns),
  Number(values.seconds),
  Number(values.idle),
  Number(values.talking),
]
const PIECE_MS = 20
const SILENCE_MS = 200
const SPEECH = makeSound(PIECE_MS, 0.4)
const SILENCE = makeSound(PIECE_MS, 0)
const TURN = makeSound(600, 0.4)
const FIRST_AUDIO = 'response.output_audio.delta'

const BY_HAND = { audio: { input: { turn_detection: null } } }
const BY_VOICE = {
  audio: { input: { turn_detection: { type: 'server_vad', silence_duration_ms: SILENCE_MS, prefix_padding_ms: 0 } } },
}

/** Milliseconds from the commit of a turn to the first sound of its answer. */
async function timeCommit(session: SessionClient): Promise<number> {
  session.say(TURN)
  const first = session.next(FIRST_AUDIO)
  const done = session.next('response.done')
  const at = performance.now()
  session.send({ type: 'input_audio_buffer.commit' })
  session.send({ type: 'response.create' })
  const heard = (await first) - at
  await done
  return heard
}

/** Sends pieces of 20 ms at the pace of speech, until the signal aborts. */
async function speak(session: SessionClient, piece: string, signal: AbortSignal): Promise<void> {
  const begun = performance.now()
  for (let count = 1; !signal.aborted; count += 1) {
    session.say(piece)
    await sleep(Math.max(0, begun + count * PIECE_MS - performance.now()))
  }
}

/** Milliseconds from the end of speech to the first sound, less the silence that ends a turn. */
async function timeTurn(session: SessionClient): Promise<number> {
  await speak(session, SPEECH, AbortSignal.timeout(600))
  const at = performance.now()
  const quiet = new AbortController()
  const first = session.next(FIRST_AUDIO).finally(() => quiet.abort())
  const done = session.next('response.done')
  await speak(session, SILENCE, quiet.signal)
  const heard = (await first) - at - SILENCE_MS
  await done
  return heard
}

async function measureTurns(url: string, settings: object, time: (session: SessionClient) => Promise<number>) {
  const session = await openSession(url, settings)
  await time(session)
  const times: number[] = []
  for (let turn = 0; turn < turns; turn += 1) times.push(await time(session))
  await session.close()
  return times
}

function readMemory({ pid }: Measured): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

/** Share of a processor, in percent, and the memory at the end, MiB. */
async function measureUse(server: Measured, run: Promise<unknown>): Promise<{ cpu: number; memory: number }> {
  const [before, begun] = [server.cpuSeconds(), performance.now()]
  await run
  const cpu = ((server.cpuSeconds() - before) / ((performance.now() - begun) / 1000)) * 100
  return { cpu, memory: readMemory(server) }
}

/** One person who speaks for a second, hears the answer in the next one, and so on. */
async function converse(session: SessionClient, until: number): Promise<void> {
  while (performance.now() < until) {
    const answered = session.next('response.done')
    await speak(session, SPEECH, AbortSignal.timeout(1000))
    await speak(session, SILENCE, AbortSignal.timeout(1000))
    await answered
  }
}

function writeTimes(name: string, times: readonly number[]): void {
  const sorted = [...times].sort((one, other) => one - other)
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN
  console.log(`| ${name} | ${median(times).toFixed(2)} ms | ${p95.toFixed(2)} ms |`)
}

const MODELS = [
  { name: 'talk', pipeline: { vad: 'ear', transcription: 'ear', llm: 'mind', tts: 'mouth' } },
  ...['ear', 'mind', 'mouth'].map((name) => ({
    name,
    backend: 'mock',
    parameters: { model: `${name}.bin` },
    known_usecases: { ear: ['transcript', 'vad'], mind: ['chat'], mouth: ['tts'] }[name],
    options: mockOptions({
      rules: [
        { rpc: 'AudioTranscription*', do: { text: 'Hello there.' } },
        { rpc: 'Predict*', do: { text: 'Good day to you.' } },
        { rpc: 'TTS*', do: { secondsPerCharacter: 0.05 } },
      ],
    }),
  })),
]

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const launcher = writeMockLauncher({ folder, name: 'mock.sh' })
const pinned = join(folder, 'pinned.sh')
writeFileSync(pinned, `#!/bin/sh\nexec taskset -c 1 "${launcher.path}" "$@"\n`, { mode: 0o755 })
const echoPort = await freePort()
const pprofPort = await freePort()
const echo = await startMeasured({
  cpu: 0,
  args: [fileURLToPath(new URL('./socket-echo.mjs', import.meta.url)), String(echoPort)],
  url: `http://127.0.0.1:${echoPort}`,
  ready: '/',
})
const server = await startServer({
  folder,
  cpu: 0,
  models: MODELS,
  flags: [`--external-grpc-backends=mock:${pinned}`, '--pprof', `--pprof-address=127.0.0.1:${pprofPort}`],
})
const sessions: SessionClient[] = []
const openMany = async (count: number, settings: object): Promise<SessionClient[]> => {
  for (let index = 0; index < count; index += 1) sessions.push(await openSession(server.url, settings))
  return sessions.splice(0)
}
try {
  console.log('| | median | p95 |\n|---|---|---|')
  writeTimes('echo of 100 ms of sound', await measureEcho(echo.url, makeSound(100, 0.4).length, 500))
  writeTimes('commit to first audio', await measureTurns(server.url, BY_HAND, timeCommit))
  writeTimes(`end of speech to first audio, over ${SILENCE_MS} ms`, await measureTurns(server.url, BY_VOICE, timeTurn))

  console.log('\n| | processor | memory |\n|---|---|---|')
  const writeUse = (name: string, { cpu, memory }: { cpu: number; memory: number }): void =>
    console.log(`| ${name} | ${cpu.toFixed(1)} % | ${memory.toFixed(0)} MiB |`)
  writeUse('no session', await measureUse(server, sleep(seconds * 1000)))
  const quiet = await openMany(idle, BY_VOICE)
  writeUse(`${idle} idle sessions`, await measureUse(server, sleep(seconds * 1000)))
  await Promise.all(quiet.map((session) => session.close()))
  const people = await openMany(talking, BY_VOICE)
  const profile = values.profile
    ? fetch(`http://127.0.0.1:${pprofPort}/debug/pprof/profile?seconds=${seconds}`).then((reply) => reply.json())
    : undefined
  const until = performance.now() + seconds * 1000
  writeUse(
    `${talking} talking sessions`,
    await measureUse(server, Promise.all(people.map((one) => converse(one, until)))),
  )
  await Promise.all(people.map((session) => session.close()))
  if (profile !== undefined) {
    const { folders, functions } = sumProfile((await profile) as CpuProfile, 20)
    console.log(`\nBy folder:\n${folders.join('\n')}\n\nBy function:\n${functions.join('\n')}`)
  }
} finally {
  await server.stop()
  await echo.stop()
  rmSync(folder, { recursive: true })
}

import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFfmpeg, encodeAudio, type FfmpegOptions, sniffAudio } from '@svc/audio'
import { float32ToS16, s16ToFloat32 } from '@svc/audio/samples'
import { createDeferred, eventually, type TempDir, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collect, makeTone, measureTone } from './tones.ts'

const SIGNAL = new AbortController().signal
const ENCODE = { format: 'aac', sampleRate: 24_000, channels: 1, signal: SIGNAL } as const
const PCM = new Uint8Array(4800)

let folder: TempDir
beforeAll(async () => {
  folder = await tempDir()
})
afterAll(() => folder[Symbol.asyncDispose]())

let programs = 0
/** A program of our own in the place of ffmpeg. Node is not on its path. */
async function program(source: string, options: FfmpegOptions = {}) {
  const home = join(folder.path, `program-${++programs}`)
  await mkdir(home)
  const path = join(home, 'ffmpeg')
  const report = join(home, 'report')
  await writeFile(
    path,
    `#!${process.execPath}\nconst report = ${JSON.stringify(report)}\nconst fs = require('fs')\n${source}`,
  )
  await chmod(path, 0o755)
  const temporaryFolder = join(home, 'temporary')
  await mkdir(temporaryFolder)
  return {
    converter: createFfmpeg({ folders: ['bin', '', home], temporaryFolder, ...options }),
    readReport: () => readFile(report, 'utf8'),
    listTemporary: () => readdir(temporaryFolder),
    home,
  }
}

/** Whether a process runs; a zombie has ended. */
async function isRunning(pid: number): Promise<boolean> {
  try {
    return !/^State:\s+Z/m.test(await readFile(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

const ECHO = 'process.stdin.pipe(process.stdout)'
const REPORT =
  'fs.writeFileSync(report, JSON.stringify({ args: process.argv.slice(2), env: process.env, cwd: process.cwd() }));'

describe('the program', () => {
  it('is asked for nothing else than this input, in an environment of its own', async () => {
    const { converter, readReport } = await program(REPORT + ECHO, { env: { FONT: 'a' } })
    expect((await collect(converter.encode([PCM], { ...ENCODE, bitRate: 48_000 }))).length).toBe(PCM.length)
    const { args, env, cwd } = JSON.parse(await readReport())
    expect(args.join(' ')).toBe(
      '-nostdin -hide_banner -loglevel error -protocol_whitelist pipe,file -format_whitelist s16le -f s16le ' +
        '-ar 24000 -ac 1 -i pipe:0 -map 0:a:0 -map_metadata -1 -c:a aac -b:a 48000 -f adts pipe:1',
    )
    expect(env).toEqual({ LANG: 'C', FONT: 'a' })
    expect(cwd).toBe('/')
  })

  it('decodes with the demuxer of the sniffed type', async () => {
    const { converter, readReport } = await program(REPORT + ECHO)
    const type = { container: 'webm', codec: 'opus', mediaType: 'audio/webm' } as const
    await collect(converter.decode([PCM], { type, sampleRate: 16_000, channels: 1, maxSeconds: 9, signal: SIGNAL }))
    expect(JSON.parse(await readReport()).args.join(' ')).toBe(
      '-nostdin -hide_banner -loglevel error -protocol_whitelist pipe,file -format_whitelist matroska -f matroska ' +
        '-i pipe:0 -map 0:a:0 -vn -sn -dn -t 9 -ar 16000 -ac 1 -c:a pcm_s16le -f s16le pipe:1',
    )
  })

  it('reads an index at the end from a private file, which is removed', async () => {
    const source = `${REPORT}
      const path = process.argv[process.argv.indexOf('-i') + 1].slice(5)
      fs.writeFileSync(report, (fs.statSync(path).mode & 0o777).toString(8) + ' ' + path)
      process.stdout.write(fs.readFileSync(path))`
    const { converter, readReport, listTemporary, home } = await program(source, { maxInputBytes: 9600 })
    const type = { container: 'mp4', codec: 'aac', mediaType: 'audio/mp4' } as const
    const options = { type, sampleRate: 16_000, channels: 1, maxSeconds: 9, signal: SIGNAL } as const
    expect((await collect(converter.decode([PCM, PCM.subarray(1)], options))).length).toBe(9599)
    expect(await readReport()).toMatch(new RegExp(`^600 ${home}/temporary/svc-audio-[^/]+/input$`))
    await expect(collect(converter.decode([PCM, PCM, PCM], options))).rejects.toMatchObject({ code: 'audio_limit' })
    expect(await listTemporary()).toEqual([])
  })

  it('that fails is a refusal; its messages stay out of the error', async () => {
    const { converter } = await program('process.stderr.write("x".repeat(1e6) + "/secret"); process.exitCode = 1')
    const failure = await collect(converter.encode([PCM], ENCODE)).catch((error: unknown) => error)
    expect(failure).toMatchObject({ kind: 'internal', code: 'converter_failed' })
    expect((failure as Error).message).not.toContain('secret')
    const { message } = (failure as Error).cause as Error
    expect([message.length, message.endsWith('/secret')]).toEqual([4096, true])
  })

  it('may end before it has read its input', async () => {
    const { converter } = await program('process.stdout.write("abc"); process.stdin.destroy()')
    const large = new Uint8Array(1_000_000)
    expect(Buffer.from(await collect(converter.encode([large, large, large], ENCODE))).toString()).toBe('abc')
  })

  it('that floods is stopped', async () => {
    const source = `fs.writeFileSync(report, String(process.pid))
      const piece = Buffer.alloc(65536); (function more() { while (process.stdout.write(piece)); process.stdout.once('drain', more) })()`
    const { converter, readReport } = await program(source, { maxOutputBytes: 300_000 })
    await expect(collect(converter.encode([PCM], ENCODE))).rejects.toMatchObject({
      kind: 'too_large',
      code: 'audio_limit',
    })
    const pid = Number(await readReport())
    await eventually(async () => expect(await isRunning(pid)).toBe(false))
  })

  const HANGS = `const child = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'])
    fs.writeFileSync(report + '.part', process.pid + ' ' + child.pid); fs.renameSync(report + '.part', report)
    process.on('SIGTERM', () => 0); setInterval(() => 0, 1000)`

  it.each(['signal', 'time', 'reader'] as const)('that hangs ends with its group: %s', async (reason) => {
    const { converter, readReport } = await program(
      reason === 'reader' ? `process.stdout.write('a');${HANGS}` : HANGS,
      reason === 'time' ? { timeoutMs: 1500 } : {},
    )
    const controller = new AbortController()
    const output = converter.encode([PCM], { ...ENCODE, signal: controller.signal })[Symbol.asyncIterator]()
    const settled = output.next().catch((error: unknown) => error)
    // The program may be too slow to report itself within the time.
    const readPids = async () => (await readReport()).split(' ').map(Number)
    const pids = reason === 'time' ? await settled.then(readPids).catch(() => []) : await eventually(readPids)
    if (reason === 'signal') controller.abort(new Error('gone'))
    if (reason === 'time') expect(await settled).toMatchObject({ kind: 'timeout', code: 'conversion_timeout' })
    if (reason === 'signal') expect(await settled).toMatchObject({ message: 'gone' })
    if (reason === 'reader') await output.return?.()
    for (const pid of pids) await eventually(async () => expect(await isRunning(pid)).toBe(false))
  })

  it('that ends and leaves a process behind is ended with it', async () => {
    const source = `const child = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'],
        { stdio: ['ignore', 'inherit', 'inherit'] })
      fs.writeFileSync(report + '.part', String(child.pid)); fs.renameSync(report + '.part', report); process.exit(0)`
    const { converter, readReport } = await program(source)
    const controller = new AbortController()
    const refused = expect(collect(converter.encode([PCM], { ...ENCODE, signal: controller.signal }))).rejects.toThrow(
      'gone',
    )
    const pid = Number(await eventually(readReport))
    controller.abort(new Error('gone'))
    await refused
    await eventually(async () => expect(await isRunning(pid)).toBe(false))
  })

  it('ends when its input fails or is silent', async () => {
    async function* broken() {
      yield PCM
      throw new Error('engine')
    }
    const { converter } = await program(ECHO)
    await expect(collect(converter.encode(broken(), ENCODE))).rejects.toThrow('engine')
    const never = createDeferred<Uint8Array>()
    const asked = createDeferred<void>()
    async function* silent() {
      yield PCM
      asked.resolve()
      yield await never.promise
    }
    const controller = new AbortController()
    const refused = expect(
      collect(converter.encode(silent(), { ...ENCODE, signal: controller.signal })),
    ).rejects.toThrow('gone')
    await asked.promise
    controller.abort(new Error('gone'))
    await refused
  })
})

describe('a missing program', () => {
  it('is named, before any sample is asked for', async () => {
    const converter = createFfmpeg({ folders: [folder.path, 'relative'] })
    let given = 0
    function* pieces() {
      given++
      yield PCM
    }
    const refused = collect(encodeAudio(pieces(), { format: 'aac', inputRate: 24_000, converter }))
    await expect(refused).rejects.toMatchObject({
      kind: 'unsupported_media',
      code: 'converter_missing',
      message: 'aac needs ffmpeg, which is not installed',
    })
    expect(given).toBe(0)
    await expect(converter.require('amr')).rejects.toThrow('amr needs ffmpeg')
  })

  it('is found once it is there', async () => {
    const home = join(folder.path, 'later')
    await mkdir(home)
    const converter = createFfmpeg({ folders: [home] })
    await expect(converter.require('aac')).rejects.toMatchObject({ code: 'converter_missing' })
    await writeFile(join(home, 'ffmpeg'), '')
    await expect(converter.require('aac')).rejects.toMatchObject({ code: 'converter_missing' })
    await chmod(join(home, 'ffmpeg'), 0o755)
    await converter.require('aac')
  })

  it('that is a path of no program cannot be started', async () => {
    const path = join(folder.path, 'broken')
    await writeFile(path, '#!/no/such/interpreter\n', { mode: 0o755 })
    const refused = collect(createFfmpeg({ path }).encode([PCM], ENCODE))
    await expect(refused).rejects.toMatchObject({ kind: 'internal', code: 'converter_failed' })
    await expect(createFfmpeg({ path: 'ffmpeg' }).require('aac')).rejects.toMatchObject({ code: 'converter_missing' })
  })
})

const installed = await createFfmpeg()
  .require('aac')
  .then(
    () => true,
    () => false,
  )

describe.skipIf(!installed)('an installed ffmpeg (skipped where there is none)', () => {
  const converter = createFfmpeg()
  const tone = float32ToS16(makeTone({ rate: 24_000, frames: 24_000, hz: [440] }))

  it.each(['aac', 'mp3', 'opus', 'flac', 'wav'] as const)('decodes %s of encodeAudio', async (format) => {
    const file = await collect(encodeAudio([tone], { format, inputRate: 24_000, converter }))
    const type = sniffAudio(file)
    if (type === undefined) throw new Error('not recognised')
    const options = { type, sampleRate: 16_000, channels: 1, maxSeconds: 60, signal: SIGNAL } as const
    const samples = s16ToFloat32(await collect(converter.decode([file], options)))
    expect(Math.abs(samples.length - 16_000)).toBeLessThan(2500)
    const { toneDb } = measureTone(samples.subarray(4000, 12_000), { rate: 16_000, hz: 440 })
    expect(Math.abs(toneDb - 20 * Math.log10(0.5))).toBeLessThan(0.5)
    const short = await collect(converter.decode([file], { ...options, maxSeconds: 0.5 }))
    expect(short.length).toBeLessThanOrEqual(16_000)
  })

  it.each([1, 8000, 10_000_000])('encodes aac with the nearest bit rate to %i', async (bitRate) => {
    for (const [inputRate, channels] of [
      [8000, 1],
      [96_000, 2],
    ] as const) {
      const file = await collect(encodeAudio([tone], { format: 'aac', inputRate, channels, bitRate, converter }))
      expect(sniffAudio(file)?.codec).toBe('aac')
    }
  })

  it('opens no playlist', async () => {
    const playlist = Buffer.from(`#EXTM3U\n#EXTINF:1,\nfile://${folder.path}/later/ffmpeg\n`)
    for (const container of ['wav', 'mp4', 'ogg', 'mp3'] as const) {
      const type = { container, codec: undefined, mediaType: 'audio/wav' }
      const options = { type, sampleRate: 16_000, channels: 1, maxSeconds: 60, signal: SIGNAL } as const
      await expect(collect(converter.decode([playlist], options))).rejects.toMatchObject({ code: 'bad_audio' })
    }
  })
})

// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRecorder, type RecorderPorts } from './recorder.ts'

/** A recorder of the browser that the test feeds. */
function createMedia() {
  const media = {
    state: 'inactive' as RecordingState,
    mimeType: 'audio/webm;codecs=opus',
    ondataavailable: null as ((event: { data: Blob }) => void) | null,
    onstop: null as (() => void) | null,
    onerror: null as (() => void) | null,
    start() {
      media.state = 'recording'
    },
    stop() {
      media.state = 'inactive'
    },
    feed: (text: string) => media.ondataavailable?.({ data: new Blob([text]) }),
  }
  const track = { stop: vi.fn() }
  const stream = { getTracks: () => [track] } as unknown as MediaStream
  return { media, track, stream }
}

function create(ports: Partial<RecorderPorts> = {}, limits: { limitSeconds?: number; limitBytes?: number } = {}) {
  const { media, track, stream } = createMedia()
  const files: File[] = []
  const recorder = createRecorder(
    { limitSeconds: 60, limitBytes: 1000, ...limits, onRecorded: (file) => files.push(file) },
    { open: async () => stream, record: () => media as unknown as MediaRecorder, now: () => 5, ...ports },
  )
  return { recorder, media, track, files }
}

const failure = (name: string) => async () => {
  throw Object.assign(new Error('no'), { name })
}

describe('a recorder', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('hands the recording over as the browser wrote it, and frees the microphone', async () => {
    const { recorder, media, track, files } = create()
    await recorder.start()
    expect(recorder.state.get()).toMatchObject({ phase: 'recording', startedAt: 5 })
    media.feed('ab')
    recorder.stop()
    expect(track.stop).toHaveBeenCalledOnce()
    media.feed('c')
    media.onstop?.()
    expect(recorder.state.get()).toEqual({ phase: 'idle' })
    expect(files.map(({ name, type, size }) => [name, type, size])).toEqual([['recording.webm', 'audio/webm', 3]])
  })

  it('drops a recording that is cancelled', async () => {
    const { recorder, media, track, files } = create()
    await recorder.start()
    media.feed('ab')
    recorder.cancel()
    media.onstop?.()
    expect([files.length, track.stop.mock.calls.length, media.state]).toEqual([0, 1, 'inactive'])
  })

  it('ends by itself after its time and at its size', async () => {
    const long = create({}, { limitSeconds: 2 })
    await long.recorder.start()
    long.media.feed('ab')
    vi.advanceTimersByTime(1999)
    expect(long.media.state).toBe('recording')
    vi.advanceTimersByTime(1)
    long.media.onstop?.()
    expect([long.media.state, long.files.length]).toEqual(['inactive', 1])

    const large = create({}, { limitBytes: 4 })
    await large.recorder.start()
    large.media.feed('abcd')
    large.media.onstop?.()
    expect([large.media.state, large.files.length]).toEqual(['inactive', 1])
  })

  it('keeps what it has when the microphone goes away', async () => {
    const { recorder, media, files } = create()
    await recorder.start()
    media.feed('ab')
    media.state = 'inactive'
    media.onstop?.()
    expect([recorder.state.get().phase, files.length]).toEqual(['idle', 1])
  })

  it('frees a microphone that comes after the page was left', async () => {
    const { track, stream } = createMedia()
    let give: (stream: MediaStream) => void = () => {}
    const { recorder } = create({ open: () => new Promise((resolve) => (give = resolve)) })
    const started = recorder.start()
    expect(recorder.state.get()).toEqual({ phase: 'asking' })
    recorder.cancel()
    give(stream)
    await started
    expect([recorder.state.get().phase, track.stop.mock.calls.length]).toEqual(['idle', 1])
  })

  it.each([
    ['insecure', { open: undefined }],
    ['unsupported', { record: undefined }],
    ['denied', { open: failure('NotAllowedError') }],
    ['missing', { open: failure('NotFoundError') }],
    ['broken', { open: failure('AbortError') }],
  ] as const)('says that it is %s', async (fault, ports) => {
    const { recorder } = create(ports)
    await recorder.start()
    expect(recorder.state.get()).toEqual({ phase: 'failed', fault })
  })

  it('frees the microphone where the recorder fails', async () => {
    const { recorder, media, track, files } = create()
    await recorder.start()
    media.feed('ab')
    media.onerror?.()
    media.onstop?.()
    expect(recorder.state.get()).toEqual({ phase: 'failed', fault: 'broken' })
    expect([track.stop.mock.calls.length, files.length]).toEqual([1, 0])
  })
})

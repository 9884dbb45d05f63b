import { createObservable, type Observable } from '../chat/observable.ts'

/** Reasons why nothing is recorded. */
export type RecorderFault = 'insecure' | 'unsupported' | 'denied' | 'missing' | 'broken'

/** State of a recorder. */
export type RecorderState =
  | { readonly phase: 'idle' }
  | { readonly phase: 'asking' }
  | { readonly phase: 'recording'; readonly startedAt: number; readonly stream: MediaStream }
  | { readonly phase: 'failed'; readonly fault: RecorderFault }

/** Parts of the browser that a recorder uses. */
export interface RecorderPorts {
  /** Asks for the microphone; undefined where the page may not use one. */
  readonly open: (() => Promise<MediaStream>) | undefined
  /** Undefined where the browser cannot record. */
  readonly record: ((stream: MediaStream) => MediaRecorder) | undefined
  readonly now: () => number
}

/** A recorder of the microphone. */
export interface Recorder {
  readonly state: Observable<RecorderState>
  readonly start: () => Promise<void>
  /** Ends the recording and hands it over. */
  readonly stop: () => void
  /** Ends the recording and drops it. */
  readonly cancel: () => void
}

/** Bounds of a recording. It ends by itself at either. */
export interface RecorderOptions {
  readonly limitSeconds: number
  readonly limitBytes: number
  readonly onRecorded: (file: File) => void
}

/** Formats in the order of preference; browsers record one of them. */
const TYPES = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4']
const ENDINGS: Readonly<Record<string, string>> = { 'audio/webm': 'webm', 'audio/ogg': 'ogg', 'audio/mp4': 'm4a' }
/** The recorder hands over what it has this often, so that its size is known. */
const PIECE_MS = 500

/** The microphone and the recorder of this browser. */
const BROWSER_PORTS: RecorderPorts = {
  get open() {
    const devices: MediaDevices | undefined = navigator.mediaDevices
    return devices === undefined ? undefined : () => devices.getUserMedia({ audio: true })
  },
  get record() {
    if (typeof MediaRecorder === 'undefined') return undefined
    return (stream: MediaStream) => {
      const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type))
      return new MediaRecorder(stream, mimeType === undefined ? {} : { mimeType })
    }
  },
  now: () => Date.now(),
}

/** Records the microphone. The microphone is free again after each end of a recording. */
export function createRecorder(options: RecorderOptions, ports: RecorderPorts = BROWSER_PORTS): Recorder {
  const state = createObservable<RecorderState>({ phase: 'idle' })
  let end: ((isKept: boolean) => void) | undefined
  /** Counts starts, so that an answer to an older question is dropped. */
  let round = 0

  const fail = (fault: RecorderFault) => state.set({ phase: 'failed', fault })
  const begin = (stream: MediaStream, media: MediaRecorder) => {
    const pieces: Blob[] = []
    const startedAt = ports.now()
    let bytes = 0
    let isKept = false
    const timer = setTimeout(() => end?.(true), options.limitSeconds * 1000)
    end = (keep) => {
      end = undefined
      isKept = keep
      clearTimeout(timer)
      if (media.state !== 'inactive') media.stop()
      release(stream)
      state.set({ phase: 'idle' })
    }
    media.ondataavailable = ({ data }) => {
      if (data.size === 0) return
      bytes += data.size
      pieces.push(data)
      if (bytes >= options.limitBytes) end?.(true)
    }
    media.onstop = () => {
      // the microphone was taken away, or the recording has ended
      end?.(true)
      if (isKept && pieces.length > 0) options.onRecorded(toFile(pieces, media.mimeType))
    }
    media.onerror = () => {
      end?.(false)
      fail('broken')
    }
    media.start(PIECE_MS)
    state.set({ phase: 'recording', startedAt, stream })
  }
  return {
    state,
    async start() {
      const { phase } = state.get()
      if (phase === 'asking' || phase === 'recording') return
      if (ports.open === undefined) return fail('insecure')
      if (ports.record === undefined) return fail('unsupported')
      round += 1
      const own = round
      state.set({ phase: 'asking' })
      let stream: MediaStream | undefined
      try {
        stream = await ports.open()
        if (own !== round) return release(stream)
        begin(stream, ports.record(stream))
      } catch (error) {
        if (stream !== undefined) release(stream)
        if (own === round) fail(toFault(error))
      }
    },
    stop: () => end?.(true),
    cancel() {
      round += 1
      if (end !== undefined) end(false)
      else state.set({ phase: 'idle' })
    },
  }
}

function release(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop()
}

function toFile(pieces: readonly Blob[], mimeType: string): File {
  const [type = ''] = mimeType.split(';')
  return new File([...pieces], `recording.${ENDINGS[type] ?? 'webm'}`, { type: type || 'audio/webm' })
}

/** Why a microphone was not given. */
export function toFault(error: unknown): RecorderFault {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'denied'
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'missing'
  return 'broken'
}

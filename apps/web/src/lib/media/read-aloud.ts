import { createObservable, type Observable } from '../chat/observable.ts'
import { toPlainText } from '../plain-text.ts'
import { onSignOut } from '../viewer-data.ts'
import { type SpeechBody, speak } from './calls.ts'

/** What is being read aloud. */
export type Reading =
  | { readonly phase: 'silent' }
  | { readonly phase: 'waiting' | 'speaking'; readonly id: string }
  | { readonly phase: 'failed'; readonly id: string; readonly error: Error }

/** Part of an audio element that plays. */
type Player = Pick<HTMLAudioElement, 'play' | 'pause' | 'src' | 'onended' | 'onerror'>

/** Parts of the browser that reading aloud uses. */
export interface ReadingPorts {
  readonly createPlayer: () => Player
  readonly speak: (body: SpeechBody, signal: AbortSignal) => Promise<Blob>
}

/** Reads one text at a time aloud. */
export interface Reader {
  readonly reading: Observable<Reading>
  /** Begins to read; what was read before ends. Call it in the handler of a press, so that browsers let it play. */
  readonly start: (id: string, text: string, voice: Pick<SpeechBody, 'model' | 'voice'>) => Promise<void>
  readonly stop: () => void
}

/** Characters that are spoken in one request: the first words come soon, and the voice is not cut in mid-sentence. */
const PIECE_LENGTH = 300
const CODE = /(^|\n)[^\S\n]*(```|~~~)[\s\S]*?(?:\n[^\S\n]*\2|$)/g
/** A sentence with its end, or a stretch without one. */
const SENTENCE = /[^.!?…。！？\n]+(?:[.!?…。！？]+["'”’)\]]*|\n+|$)|[.!?…。！？\n]+/g

/** Cuts an answer into stretches to speak: without code and signs of Markdown, at the ends of sentences. */
export function toSpokenPieces(markdown: string): string[] {
  const pieces: string[] = []
  let piece = ''
  const end = () => {
    if (/[\p{L}\p{N}]/u.test(piece)) pieces.push(piece.trim())
    piece = ''
  }
  for (const [sentence] of toPlainText(markdown.replace(CODE, '\n')).matchAll(SENTENCE)) {
    if (piece.length + sentence.length > PIECE_LENGTH) end()
    piece += sentence
    while (piece.length > PIECE_LENGTH) {
      // a stretch without an end of a sentence is cut between words
      const at = piece.lastIndexOf(' ', PIECE_LENGTH)
      const rest = piece.slice(at > 0 ? at : PIECE_LENGTH)
      piece = piece.slice(0, at > 0 ? at : PIECE_LENGTH)
      end()
      piece = rest
    }
  }
  end()
  return pieces
}

/** Makes a reader. The next stretch is asked for while one is heard. */
export function createReader(ports: ReadingPorts): Reader {
  const reading = createObservable<Reading>({ phase: 'silent' })
  let running: AbortController | undefined
  const stop = () => {
    running?.abort()
    running = undefined
    if (reading.get().phase !== 'silent') reading.set({ phase: 'silent' })
  }
  return {
    reading,
    stop,
    async start(id, text, voice) {
      stop()
      const own = new AbortController()
      running = own
      const { signal } = own
      const player = ports.createPlayer()
      const ask = (input: string | undefined) => {
        const asked = input === undefined ? undefined : ports.speak({ ...voice, input }, signal)
        // a failure is told when its turn comes
        asked?.catch(() => {})
        return asked
      }
      try {
        const pieces = toSpokenPieces(text)
        reading.set({ phase: 'waiting', id })
        let next = ask(pieces[0])
        for (let place = 1; next !== undefined; place += 1) {
          const sound = await next
          signal.throwIfAborted()
          next = ask(pieces[place])
          reading.set({ phase: 'speaking', id })
          await hear(player, sound, signal)
        }
        if (running === own) stop()
      } catch (error) {
        if (signal.aborted) return
        own.abort()
        reading.set({ phase: 'failed', id, error: error instanceof Error ? error : new Error(String(error)) })
      }
    },
  }
}

/** Plays a sound to its end. @throws the reason of the signal; Error for a sound that the browser cannot play */
async function hear(player: Player, sound: Blob, signal: AbortSignal): Promise<void> {
  const url = URL.createObjectURL(sound)
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      player.onended = () => resolve()
      player.onerror = () => reject(new Error(`The browser cannot play ${sound.type}.`))
      player.src = url
      player.play().catch(reject)
    })
  } finally {
    player.onended = null
    player.onerror = null
    player.pause()
    URL.revokeObjectURL(url)
  }
}

/** The one voice of this page. */
export const reader = createReader({ createPlayer: () => new Audio(), speak })

onSignOut(reader.stop)

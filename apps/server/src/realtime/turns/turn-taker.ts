import { systemClock } from '../../clock.ts'
import type { Clock } from '../../ports.ts'
import type { TurnTaker, TurnTakerParts } from '../ports.ts'
import { callWithin } from './call-within.ts'
import type { Stretch } from './decide.ts'
import { createEchoCanceller } from './echo/echo-canceller.ts'
import { MS } from './find-speech.ts'
import { createSoundFeed } from './sound-feed.ts'
import { createSpeechRules } from './speech-rules.ts'
import { createSpeechWatch } from './speech-watch.ts'

/** A text that takes longer is not waited for. */
const TEXT_LIMIT_MS = 10_000

/** Creates the turn taking of a session. The clock bounds calls; what is decided depends on the heard sound alone. */
export function createTurnTaker(
  { listener, detectSpeech, transcribe }: TurnTakerParts,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): TurnTaker {
  const closing = new AbortController()
  const { signal } = closing
  const failed = (error: unknown): void => listener.failed(error)
  const rules = createSpeechRules({ listener, ask: (stretch) => void ask(stretch) })
  const echo = createEchoCanceller()
  const feed = createSoundFeed(echo)
  const watch = createSpeechWatch({ rules, feed, detectSpeech, failed, clock, signal })

  async function ask(stretch: Stretch): Promise<void> {
    let text: string | undefined
    try {
      text = await callWithin((bound) => transcribe(stretch, { signal: bound }), {
        signal,
        clock,
        limitMs: TEXT_LIMIT_MS,
      })
    } catch (error) {
      if (!signal.aborted) failed(error)
    }
    if (signal.aborted) return
    rules.textCame(stretch, text)
    watch.goOn()
  }

  /** Nothing happens after {@link TurnTaker.close}. */
  const whileOpen =
    <Given extends readonly unknown[]>(act: (...given: Given) => void) =>
    (...given: Given): void => {
      if (!signal.aborted) act(...given)
    }

  return {
    set: whileOpen((settings) => {
      if (rules.phase === 'off') rules.forget(feed.end / MS)
      rules.set(settings)
      watch.goOn()
    }),
    hear: whileOpen((samples) => {
      feed.hear(samples)
      watch.goOn()
    }),
    heardOurselves: whileOpen((samples) => echo.play(samples, { at: feed.end })),
    setSpeaking: whileOpen((isSpeaking) => rules.setVoice(isSpeaking, feed.end / MS)),
    clear: whileOpen(() => {
      watch.forget()
      rules.forget(feed.end / MS)
    }),
    close: () => closing.abort(),
  }
}

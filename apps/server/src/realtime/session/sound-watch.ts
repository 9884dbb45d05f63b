import type { InputAudio } from './input-audio.ts'
import type { Listening } from './listening.ts'
import type { SessionContext } from './session-context.ts'

/** Names the sounds that a session hears while it hears them, where its pipeline does so. */
export interface SoundWatch {
  /** Looks whether a stretch is due. */
  hear(): void
}

/** Creates the watch. A stretch that is due while another one is named is left out. */
export function createSoundWatch({
  context,
  input,
  itemId,
  listening,
  report,
}: {
  readonly context: SessionContext
  readonly input: () => InputAudio
  /** The item that the sound becomes a part of. */
  readonly itemId: () => string
  readonly listening: Listening
  readonly report: (error: unknown) => void
}): SoundWatch {
  const { stages, emit } = context
  let namedMs = 0
  let isBusy = false

  async function name(startMs: number, endMs: number): Promise<void> {
    const samples = input().sound.read(startMs, endMs)
    const detections = await stages.classifySounds(samples, await listening.call())
    const stretch = { audio_start_ms: Math.round(startMs), audio_end_ms: Math.round(endMs) }
    await emit({
      type: 'conversation.item.sound_detection',
      item_id: itemId(),
      content_index: 0,
      ...stretch,
      detections,
    })
  }
  return {
    hear() {
      const { soundWindow } = stages.facts
      const { startMs, endMs } = input().sound
      if (soundWindow === undefined || isBusy || endMs - namedMs < soundWindow.hopMs) return
      namedMs = endMs
      isBusy = true
      name(Math.max(startMs, endMs - soundWindow.windowMs), endMs)
        .catch(report)
        .finally(() => {
          isBusy = false
        })
    },
  }
}

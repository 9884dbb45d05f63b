import type { MockContext } from './state.ts'

/** Chooses the scripted text of a sound of this length; undefined where the script has none. */
export function chooseTranscript(seconds: number, { behaviour, mock }: MockContext): string | undefined {
  const { text, texts, transcripts } = behaviour
  if (texts !== undefined) {
    mock.transcriptions += 1
    return texts[Math.min(mock.transcriptions, texts.length) - 1] ?? ''
  }
  const byLength = transcripts?.find(({ maxSeconds = Number.POSITIVE_INFINITY }) => seconds <= maxSeconds)
  return byLength?.text ?? text
}

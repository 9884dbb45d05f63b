import type { Transcript, TranscriptSegment } from '../../../../inference/operations/audio/transcript.ts'

/** The forms of a transcript that are plain text. */
export type TextFormat = 'text' | 'txt' | 'srt' | 'vtt' | 'lrc'

const WRITERS: Readonly<Record<TextFormat, (transcript: Transcript) => string>> = {
  text: ({ text }) => `${text.trim()}\n`,
  txt: ({ text }) => `${text.trim()}\n`,
  srt: (transcript) =>
    listCues(transcript)
      .map(({ start, end, text }, index) => `${index + 1}\n${toTime(start, ',')} --> ${toTime(end, ',')}\n${text}\n\n`)
      .join(''),
  vtt: (transcript) =>
    `WEBVTT\n\n${listCues(transcript)
      .map(({ start, end, text }) => `${toTime(start, '.')} --> ${toTime(end, '.')}\n${escapeCue(text)}\n\n`)
      .join('')}`,
  lrc: (transcript) =>
    `[by:svc]\n[re:svc]\n\n${listCues(transcript)
      .map(({ start, text }) => `[${toLyricsTime(start)}] ${text.replaceAll('\n', ' ')}\n`)
      .join('')}`,
}

/** Whether a form of a transcript is plain text. */
export function isTextFormat(format: string): format is TextFormat {
  return format in WRITERS
}

/** Writes a transcript as plain text. */
export function writeTranscript(transcript: Transcript, format: TextFormat): string {
  return WRITERS[format](transcript)
}

type Cue = Pick<TranscriptSegment, 'start' | 'end' | 'text'>

/** The parts with text. An empty line would end a cue, so there is none inside. */
function listCues({ segments, text, duration }: Transcript): readonly Cue[] {
  const parts: readonly Cue[] = segments.length > 0 ? segments : [{ start: 0, end: duration, text }]
  return parts.flatMap(({ start, end, text: given }) => {
    const lines = given
      .split(/[\n\r]+/)
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join('\n')
    return lines === '' ? [] : [{ start, end, text: lines }]
  })
}

const pad = (number: number, length = 2): string => String(number).padStart(length, '0')

function toTime(seconds: number, point: ',' | '.'): string {
  const milliseconds = Math.round(seconds * 1000)
  const whole = Math.floor(milliseconds / 1000)
  const clock = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60].map((part) => pad(part)).join(':')
  return `${clock}${point}${pad(milliseconds % 1000, 3)}`
}

function toLyricsTime(seconds: number): string {
  const hundredths = Math.floor(Math.round(seconds * 1000) / 10)
  const whole = Math.floor(hundredths / 100)
  return `${pad(Math.floor(whole / 60))}:${pad(whole % 60)}:${pad(hundredths % 100)}`
}

/** Writes text that WebVTT would read as markup, or as the arrow of times. */
function escapeCue(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

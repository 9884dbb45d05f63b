import type { Line } from './transcript.ts'

/** The forms of a transcript that can be saved. */
export const TRANSCRIPT_FORMS = ['txt', 'srt', 'vtt', 'json'] as const

export type TranscriptForm = (typeof TRANSCRIPT_FORMS)[number]

/** Media types of the forms. */
export const FORM_TYPES: Readonly<Record<TranscriptForm, string>> = {
  txt: 'text/plain',
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
  json: 'application/json',
}

/** Writes a transcript as the text of a file. @param whole the reply, for JSON */
export function writeTranscript(form: TranscriptForm, lines: readonly Line[], whole: object): string {
  switch (form) {
    case 'txt':
      return lines.map((line) => `${nameSpeaker(line)}${line.text}\n`).join('')
    case 'srt':
      return lines
        .map((line, index) => `${index + 1}\n${writeTimes(line, ',')}\n${nameSpeaker(line)}${toCueText(line.text)}\n`)
        .join('\n')
    case 'vtt':
      return `WEBVTT\n\n${lines
        .map((line) => `${writeTimes(line, '.')}\n${nameVoice(line)}${escapeVtt(toCueText(line.text))}\n`)
        .join('\n')}`
    case 'json':
      return `${JSON.stringify(whole, null, 2)}\n`
  }
}

function nameSpeaker({ speaker }: Line): string {
  return speaker === '' ? '' : `${speaker}: `
}

function nameVoice({ speaker }: Line): string {
  return speaker === '' ? '' : `<v ${escapeVtt(speaker.replace(/\s+/g, ' '))}>`
}

/** An empty line would end a cue, and an arrow would be read as its times. */
function toCueText(text: string): string {
  return text.replace(/\s*[\r\n]\s*/g, '\n').replaceAll('-->', '→')
}

function escapeVtt(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function writeTimes({ start, end }: Line, mark: ',' | '.'): string {
  return `${writeTime(start, mark)} --> ${writeTime(Math.max(start, end), mark)}`
}

/** A time as `00:01:02,345`; the comma is that of SRT, WebVTT has a point. @param seconds 0 or more */
export function writeTime(seconds: number, mark: ',' | '.'): string {
  const total = Math.round(Math.max(0, seconds) * 1000)
  const pad = (value: number, digits = 2) => String(value).padStart(digits, '0')
  const whole = Math.floor(total / 1000)
  const clock = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60].map((part) => pad(part)).join(':')
  return `${clock}${mark}${pad(total % 1000, 3)}`
}

/** A time to read, such as `1:02` or `1:00:02`. @param seconds 0 or more */
export function writeShortTime(seconds: number): string {
  const [hours = '', minutes = '', rest = ''] = writeTime(seconds, '.').slice(0, 8).split(':')
  return Number(hours) > 0 ? `${Number(hours)}:${minutes}:${rest}` : `${Number(minutes)}:${rest}`
}

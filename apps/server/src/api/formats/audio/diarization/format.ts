import { type DiarizationForm, type DiarizationReply, diarizationForm } from '@svc/wire/native'
import { readBody } from '../../../../inference/documents/read-body.ts'
import { SOUND_FORM, takeSound } from '../../../../inference/media/sound-file.ts'
import type { DiarizeResult, SpeakerTurn } from '../../../../inference/operations/audio/audio-operations.ts'
import type { EncodedReply, WireFormat } from '../../../../inference/replies/wire-format.ts'
import { readLanguage } from '../language.ts'

/** The wire format of `POST /v1/audio/diarization`. */
export const diarizationFormat: WireFormat = {
  form: SOUND_FORM,
  async read(document, { files, media, signal }) {
    const form = await readBody(diarizationForm, document, signal)
    const request = {
      kind: 'diarize',
      speakers: form.num_speakers ?? 0,
      minSpeakers: form.min_speakers ?? 0,
      maxSpeakers: form.max_speakers ?? 0,
      clusteringThreshold: form.clustering_threshold ?? 0,
      minSecondsOn: form.min_duration_on ?? 0,
      minSecondsOff: form.min_duration_off ?? 0,
      language: readLanguage(form.language),
      includesText: form.include_text ?? false,
      path: await takeSound(files, media),
    } as const
    const name = files.find(({ field }) => field === 'file')?.filename ?? ''
    return {
      kind: 'operation',
      request,
      perform: async (run) => toReply(await run<'diarize'>(request), form, name),
    }
  },
}

function toReply(result: DiarizeResult, form: DiarizationForm, filename: string): EncodedReply {
  const turns = nameSpeakers(result.turns)
  if (form.response_format === 'rttm') {
    const bytes = Buffer.from(writeRttm(turns, filename))
    const read = async function* (): AsyncGenerator<Uint8Array> {
      yield bytes
    }
    return { kind: 'content', content: { mediaType: 'text/plain; charset=utf-8', length: bytes.length, read } }
  }
  const isVerbose = form.response_format === 'verbose_json'
  return { kind: 'json', body: () => toJson(result, turns, isVerbose) }
}

/** A turn with the name of its speaker in replies. */
export interface NamedTurn extends SpeakerTurn {
  readonly speaker: string
}

/** Names speakers in the order in which they are first heard. A turn without a name belongs to speaker 0. */
export function nameSpeakers(turns: readonly SpeakerTurn[]): readonly NamedTurn[] {
  const names = new Map<string, string>()
  return turns.map((turn) => {
    const label = turn.label || '0'
    const speaker = names.get(label) ?? `SPEAKER_${String(names.size).padStart(2, '0')}`
    names.set(label, speaker)
    return { ...turn, speaker }
  })
}

/** Writes turns as lines of RTTM. */
export function writeRttm(turns: readonly NamedTurn[], filename: string): string {
  const name =
    filename
      .replace(/^.*[/\\]/, '')
      .replace(/\.[^.]*$/, '')
      .replace(/[^\p{L}\p{N}._-]+/gu, '_') || 'audio'
  return turns
    .map(({ start, end, speaker }) => {
      const times = `${start.toFixed(3)} ${(end - start).toFixed(3)}`
      return `SPEAKER ${name} 1 ${times} <NA> <NA> ${speaker} <NA> <NA>\n`
    })
    .join('')
}

function toJson(result: DiarizeResult, turns: readonly NamedTurn[], isVerbose: boolean): DiarizationReply {
  const { duration, language } = result
  const speakers = listSpeakers(turns)
  return {
    task: 'diarize',
    ...(duration > 0 ? { duration } : {}),
    ...(language === '' ? {} : { language }),
    num_speakers: result.speakers || speakers.length,
    segments: turns.map(({ speaker, label, start, end, text }, id) => ({
      id,
      speaker,
      ...(label === '' ? {} : { label }),
      start,
      end,
      ...(isVerbose && text !== '' ? { text } : {}),
    })),
    ...(isVerbose ? { speakers } : {}),
  }
}

function listSpeakers(turns: readonly NamedTurn[]): NonNullable<DiarizationReply['speakers']> {
  const found = new Map<string, { id: string; label?: string; total_speech_duration: number; segment_count: number }>()
  for (const { speaker, label, start, end } of turns) {
    const one = found.get(speaker) ?? {
      id: speaker,
      ...(label === '' ? {} : { label }),
      total_speech_duration: 0,
      segment_count: 0,
    }
    one.total_speech_duration = Math.round((one.total_speech_duration + end - start) * 1e6) / 1e6
    one.segment_count += 1
    found.set(speaker, one)
  }
  return [...found.values()]
}

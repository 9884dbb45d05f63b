import { stat } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { PrivateFiles } from '../../files/private-files.ts'
import type { VerifyVoiceResult } from '../../inference/operations/audio/audio-operations.ts'
import type { StageCall } from '../ports.ts'
import type { PartAsker } from './ask-part.ts'
import { withSoundFile } from './sound-files.ts'

/** The `voice_recognition` block of a pipeline. */
export type VoiceSettings = NonNullable<NonNullable<ModelConfig['pipeline']>['voiceRecognition']>

/** Largest cosine distance of one speaker, where the file names none. */
const USUAL_THRESHOLD = 0.25
/** Most references of a pipeline: each is compared at every turn. */
const MAX_REFERENCES = 16

/** A person that a pipeline knows. */
interface Reference {
  readonly name: string
  readonly path: string
}

/** Who has spoken, and whether the turn counts. */
export interface RecognizedSpeaker {
  readonly name: string | undefined
  readonly isAccepted: boolean
  readonly isSilent: boolean
}

/** Options of {@link createRecognition}. */
export interface RecognitionParts {
  readonly settings: VoiceSettings
  /** The pipeline, whose folder holds the references. */
  readonly pipeline: Pick<ModelConfig, 'folder' | 'name'>
  readonly asker: PartAsker
  readonly files: Pick<PrivateFiles, 'create'>
  readonly findModel: () => ModelConfig
}

/** Creates the stage for one session: with `when: first` one accepted turn suffices. */
export function createRecognition({ settings, pipeline, asker, files, findModel }: RecognitionParts) {
  const references = listReferences(settings, pipeline)
  const { enforce = true, when = 'every', onReject = 'drop_event', identity } = settings
  const threshold = settings.threshold || USUAL_THRESHOLD
  const identifies = identity?.announce === true || identity?.personalize === true
  let wasAccepted = false

  async function findSpeaker(samples: Float32Array, call: StageCall): Promise<string | undefined> {
    const found: { readonly name: string; readonly distance: number }[] = []
    const compare = ({ name, path: referencePath }: Reference, path: string) =>
      asker
        .perform<'verify-voice'>(
          { kind: 'verify-voice', path, referencePath, threshold, antiSpoofing: settings.antiSpoofing === true },
          { model: findModel(), usecase: 'speaker_recognition' },
          call,
        )
        .then((result: VerifyVoiceResult) => {
          if (result.isVerified && result.distance <= threshold) found.push({ name, distance: result.distance })
        })
    for await (const _ of withSoundFile(files, samples, async function* (path) {
      for (const reference of references) yield compare(reference, path)
    })) {
      call.signal.throwIfAborted()
    }
    return found.sort((one, other) => one.distance - other.distance)[0]?.name
  }

  return async (samples: Float32Array, call: StageCall): Promise<RecognizedSpeaker> => {
    const isSilent = onReject === 'drop_silent'
    const isTrusted = !enforce || (when === 'first' && wasAccepted)
    if (isTrusted && !identifies) return { name: undefined, isAccepted: true, isSilent }
    const name = await findSpeaker(samples, call)
    wasAccepted ||= name !== undefined
    return { name, isAccepted: isTrusted || name !== undefined, isSilent }
  }
}

/** Lists the people whose turns count: those with a reference, or the allowed ones of them. */
function listReferences(
  { references = [], allow }: VoiceSettings,
  { folder }: Pick<ModelConfig, 'folder'>,
): readonly Reference[] {
  const names = allow?.names ?? []
  return references
    .map(({ name = '', audio = '' }) => ({ name, path: resolve(folder, audio) }))
    .filter(({ name }) => names.length === 0 || names.includes(name))
}

/**
 * Checks the block when a pipeline is loaded.
 *
 * @throws {SvcError} `invalid_pipeline`, naming the key
 */
export async function checkRecognition(
  settings: VoiceSettings,
  { folder }: Pick<ModelConfig, 'folder'>,
): Promise<void> {
  const { mode, references = [], allow } = settings
  if (mode === 'identify' || (mode === undefined && references.length === 0)) {
    throw refuse(
      'mode',
      'identify needs a register of voices, which the server does not keep: use verify with references',
    )
  }
  if ((allow?.labels ?? []).length > 0) {
    throw refuse('allow.labels', 'only a register of voices has labels: allow the names of references')
  }
  if (references.length === 0) throw refuse('references', 'verify needs a recording of at least one person')
  if (references.length > MAX_REFERENCES) throw refuse('references', `holds more than ${MAX_REFERENCES} entries`)
  for (const [index, { audio = '' }] of references.entries()) {
    const path = resolve(folder, audio)
    const key = `references[${index}].audio`
    if (audio === '' || !path.startsWith(folder + sep)) throw refuse(key, 'must name a file in the models folder')
    const isThere = await stat(path).then(
      (file) => file.isFile(),
      () => false,
    )
    if (!isThere) throw refuse(key, `there is no file "${audio}" in the models folder`)
  }
  const unknown = (allow?.names ?? []).find((name) => references.every((one) => one.name !== name))
  if (unknown !== undefined) throw refuse('allow.names', `no reference is named "${unknown}"`)
}

function refuse(key: string, reason: string): SvcError {
  return new SvcError('internal', `pipeline.voice_recognition.${key}: ${reason}`, { code: 'invalid_pipeline' })
}

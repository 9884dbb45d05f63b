import type { MockBehaviour, MockRule } from '@svc/backend-mock/script'
import type { TestServer } from './server.ts'

/** Seconds of speech for each character of its text. */
const SECONDS_A_CHARACTER = 0.02

/** Options of {@link addTalk}. */
export interface TalkOptions {
  /** Name of the pipeline; the names of its models begin with it. @default 'talk', and plain names */
  readonly name?: string | undefined
  /** Whether models without a script of their own are those of `talk`. @default false */
  readonly isShared?: boolean | undefined
  /** What is heard. @default the text `What time is it?` */
  readonly ear?: MockBehaviour | undefined
  /** Rules of the language model. @default the text `It is noon.` */
  readonly mind?: readonly MockRule[] | undefined
  /** How it speaks. @default 20 ms a character */
  readonly mouth?: MockBehaviour | undefined
  /** Behaviour of the detection of speech. @default by loudness */
  readonly vad?: MockBehaviour | undefined
  /** Other keys of the pipeline; null leaves a stage out. */
  readonly pipeline?: Readonly<Record<string, unknown>> | undefined
}

/** Writes a pipeline whose stages are scripted, with its models `ear`, `mind` and `mouth`. */
export async function addTalk(server: Pick<TestServer, 'model'>, options: TalkOptions = {}): Promise<void> {
  const { name = 'talk', isShared = false, ear, mouth, mind, vad, pipeline = {} } = options
  const nameOf = (model: string, isGiven: boolean): string =>
    name !== 'talk' && (isGiven || !isShared) ? `${name}-${model}` : model
  const names = {
    ear: nameOf('ear', (ear ?? vad) !== undefined),
    mind: nameOf('mind', mind !== undefined),
    mouth: nameOf('mouth', mouth !== undefined),
  }
  const isNew = (model: string): boolean => name === 'talk' || model.startsWith(`${name}-`)
  const vadRules = vad === undefined ? [] : [{ rpc: 'VAD', do: vad }]
  if (isNew(names.ear))
    await server.model(
      names.ear,
      { rules: [...vadRules, { rpc: 'AudioTranscription*', do: ear ?? { text: 'What time is it?' } }] },
      { known_usecases: ['transcript', 'vad'] },
    )
  if (isNew(names.mind))
    await server.model(names.mind, { rules: mind ?? [{ rpc: 'Predict*', do: { text: 'It is noon.' } }] })
  if (isNew(names.mouth))
    await server.model(
      names.mouth,
      { rules: [{ rpc: 'TTS*', do: { secondsPerCharacter: SECONDS_A_CHARACTER, ...mouth } }] },
      { known_usecases: ['tts'] },
    )
  const stages = { vad: names.ear, transcription: names.ear, llm: names.mind, tts: names.mouth, ...pipeline }
  const kept = Object.fromEntries(Object.entries(stages).filter(([, model]) => model !== null))
  await server.model(name, {}, toPipelineKeys(kept))
}

/** Keys of a model file that turn a model of the mock into a pipeline. */
export function toPipelineKeys(pipeline: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const ofModels = ['backend', 'known_usecases', 'template', 'parameters', 'options']
  return { ...Object.fromEntries(ofModels.map((key) => [key, undefined])), pipeline }
}

/** Everything that a model can be asked for, in the order of lists. */
export const USECASES = [
  'chat',
  'completion',
  'edit',
  'embeddings',
  'rerank',
  'image',
  'transcript',
  'tts',
  'sound_generation',
  'tokenize',
  'vad',
  'video',
  'detection',
  'vision',
  'face_recognition',
  'speaker_recognition',
  'audio_transform',
  'diarization',
  'realtime_audio',
  'score',
  'depth',
  'token_classify',
  'sound_classification',
  '3d',
  'decisions',
  'stores',
] as const

/** One use of a model. */
export type Usecase = (typeof USECASES)[number]

const ALL: ReadonlySet<string> = new Set(USECASES)

/**
 * Reads the usecases in a list of a model file: `chat` in any case, `FLAG_CHAT`, `llm` for three; ignores unknown ones.
 */
export function readUsecases(names: readonly string[]): Usecase[] {
  const declared = new Set<string>()
  for (const name of names) {
    const word = name.startsWith('FLAG_') ? name.slice(5) : name
    // The prefix is valid in capitals only, and then so is the rest: `flag_chat` is unknown.
    if (word !== name && word !== word.toUpperCase()) continue
    const usecase = word.toLowerCase()
    for (const each of usecase === 'llm' ? ['chat', 'completion', 'edit'] : [usecase]) declared.add(each)
  }
  return USECASES.filter((usecase) => declared.has(usecase))
}

/** Whether a text is the name of a usecase. */
export function isUsecase(name: string): name is Usecase {
  return ALL.has(name)
}

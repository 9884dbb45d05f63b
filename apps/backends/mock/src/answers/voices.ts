import { embedText } from '../embed-text.ts'
import type { BackendAnswers } from '../state.ts'
import { compareInputs } from './compare-inputs.ts'
import { MODEL_NAME } from './model-name.ts'

/** Comparing, analyzing and embedding voices. */
export const voiceAnswers = {
  voiceVerify: ({ audio1, audio2, threshold }) => compareInputs(audio1, audio2, threshold),
  voiceAnalyze: () => ({
    segments: [
      {
        start: 0,
        end: 1,
        age: 30,
        dominantGender: 'female',
        gender: { female: 0.9, male: 0.1 },
        dominantEmotion: 'neutral',
        emotion: { neutral: 1 },
      },
    ],
  }),
  voiceEmbed: ({ audio }, { mock }) => ({
    embedding: embedText(audio, mock.script.embeddingDimension ?? 64),
    model: MODEL_NAME,
  }),
} satisfies Partial<BackendAnswers>

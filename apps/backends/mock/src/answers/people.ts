import { embedText } from '../embed-text.ts'
import type { BackendAnswers } from '../state.ts'

const THRESHOLD = 0.5
const MODEL = 'mock'

/** Faces and voices: two inputs belong to the same person when they are the same text. */
export const peopleAnswers = {
  faceVerify({ img1, img2, threshold }) {
    const area = { x: 0, y: 0, w: 64, h: 64 }
    return {
      ...compare(img1, img2, threshold),
      img1Area: area,
      img2Area: area,
      img1IsReal: true,
      img1AntispoofScore: 1,
      img2IsReal: true,
      img2AntispoofScore: 1,
    }
  },
  faceAnalyze: () => ({
    faces: [
      {
        region: { x: 0, y: 0, w: 64, h: 64 },
        faceConfidence: 0.99,
        age: 30,
        dominantGender: 'woman',
        gender: { woman: 0.9, man: 0.1 },
        dominantEmotion: 'happy',
        emotion: { happy: 1 },
        isReal: true,
        antispoofScore: 1,
      },
    ],
  }),
  voiceVerify: ({ audio1, audio2, threshold }) => compare(audio1, audio2, threshold),
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
    model: MODEL,
  }),
} satisfies Partial<BackendAnswers>

function compare(one: string, other: string, threshold: number) {
  const distance = one === other ? 0 : 1
  const limit = threshold || THRESHOLD
  return {
    verified: distance <= limit,
    distance,
    threshold: limit,
    confidence: 100 * (1 - distance),
    model: MODEL,
    processingTimeMs: 1,
  }
}

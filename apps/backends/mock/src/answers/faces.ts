import type { BackendAnswers } from '../state.ts'
import { compareInputs } from './compare-inputs.ts'

/** Comparing and analyzing faces. */
export const faceAnswers = {
  faceVerify({ img1, img2, threshold }) {
    const area = { x: 0, y: 0, w: 64, h: 64 }
    return {
      ...compareInputs(img1, img2, threshold),
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
} satisfies Partial<BackendAnswers>

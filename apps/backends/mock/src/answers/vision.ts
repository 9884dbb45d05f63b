import { encodePng } from '../png.ts'
import type { BackendAnswers } from '../state.ts'

/** Content of an image: one box, one plane. */
export const visionAnswers = {
  detect({ prompt, threshold }) {
    const confidence = 0.9
    const mask = encodePng({ width: 2, height: 2 }, 0xffffff)
    const found = { x: 1, y: 2, width: 30, height: 40, confidence, className: prompt || 'object', mask }
    return { Detections: confidence >= threshold ? [found] : [] }
  },
  depth: ({ includeDepth, includeConfidence }) => ({
    width: 2,
    height: 2,
    depth: includeDepth ? [1, 2, 3, 4] : [],
    confidence: includeConfidence ? [1, 1, 1, 1] : [],
    isMetric: true,
  }),
} satisfies Partial<BackendAnswers>

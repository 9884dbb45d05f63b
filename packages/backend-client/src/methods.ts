import { audioMethods } from './calls/audio.ts'
import { classifyMethods } from './calls/classify.ts'
import { detectMethods } from './calls/detect.ts'
import { embedMethods } from './calls/embed.ts'
import { forwardMethods } from './calls/forward.ts'
import { imageMethods } from './calls/image.ts'
import { jobsMethods } from './calls/jobs.ts'
import { lifecycleMethods } from './calls/lifecycle.ts'
import { predictMethods } from './calls/predict.ts'
import { rerankMethods } from './calls/rerank.ts'
import { scoreMethods } from './calls/score.ts'
import { storesMethods } from './calls/stores.ts'
import { tokenizeMethods } from './calls/tokenize.ts'
import { vadMethods } from './calls/vad.ts'

/** Every rpc of `backend.Backend`, by the name it has in TypeScript. */
export const backendMethods = {
  ...lifecycleMethods,
  ...predictMethods,
  ...embedMethods,
  ...tokenizeMethods,
  ...classifyMethods,
  ...scoreMethods,
  ...rerankMethods,
  ...storesMethods,
  ...vadMethods,
  ...audioMethods,
  ...imageMethods,
  ...detectMethods,
  ...jobsMethods,
  ...forwardMethods,
} as const

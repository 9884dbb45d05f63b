import { runClassifySound } from './audio/classify-sound.ts'
import { runDetectSpeech } from './audio/detect-speech.ts'
import { runDiarize } from './audio/diarize.ts'
import { runMakeSound } from './audio/make-sound.ts'
import { runSpeak } from './audio/speak.ts'
import { runTranscribe } from './audio/transcribe.ts'
import { runClassify } from './classify.ts'
import { runContextSize } from './context-size.ts'
import { runCount } from './count.ts'
import { runDecide } from './decide.ts'
import { runDetokenize } from './detokenize.ts'
import { runEmbed } from './embed.ts'
import { runDetectObjects } from './images/detect-objects.ts'
import { runMakeImage } from './images/make-image.ts'
import { runMakeVideo } from './images/make-video.ts'
import { runUpscaleImage } from './images/upscale-image.ts'
import type { OperationKind, OperationRequest, OperationResult } from './operation.ts'
import type { OperationContext, OperationRunner } from './operation-runner.ts'
import { runRerank } from './rerank.ts'
import { runScore } from './score.ts'
import { runTokenize } from './tokenize.ts'

/** Runner of each kind of operation. */
const RUNNERS: { readonly [K in OperationKind]: OperationRunner<K> } = {
  embed: runEmbed,
  rerank: runRerank,
  tokenize: runTokenize,
  detokenize: runDetokenize,
  count: runCount,
  score: runScore,
  decide: runDecide,
  classify: runClassify,
  transcribe: runTranscribe,
  speak: runSpeak,
  'make-sound': runMakeSound,
  'detect-speech': runDetectSpeech,
  diarize: runDiarize,
  'classify-sound': runClassifySound,
  'context-size': runContextSize,
  'make-image': runMakeImage,
  'upscale-image': runUpscaleImage,
  'make-video': runMakeVideo,
  'detect-objects': runDetectObjects,
}

/**
 * Runs an operation on a loaded model.
 *
 * @throws SvcError `not_implemented` when the backend lacks the operation, `invalid_request`, or the failure of the
 *   backend
 */
export function runOperation<K extends OperationKind>(
  request: OperationRequest<K>,
  context: OperationContext,
): Promise<OperationResult<K>> {
  // The table maps each kind to its runner; the compiler cannot follow that through a union.
  const run = RUNNERS[request.kind as K] as OperationRunner<K>
  return run(request, context)
}

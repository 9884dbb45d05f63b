import { runClassifySound } from './audio/classify-sound.ts'
import { runConverse } from './audio/converse.ts'
import { runDetectSpeech } from './audio/detect-speech.ts'
import { runDiarize } from './audio/diarize.ts'
import { runListVoices } from './audio/list-voices.ts'
import { runMakeSound } from './audio/make-sound.ts'
import { runSpeak } from './audio/speak.ts'
import { runTranscribe } from './audio/transcribe.ts'
import { runTranscribeLive } from './audio/transcribe-live.ts'
import { runVerifyVoice } from './audio/verify-voice.ts'
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
import type { CheckContext, OperationCheck, OperationContext, OperationRunner } from './operation-runner.ts'
import { runRerank } from './rerank.ts'
import { runScore } from './score.ts'
import { checkRestoreSlot, checkSaveSlot, runRestoreSlot, runSaveSlot } from './slots.ts'
import { runStoreDelete, runStoreFind, runStoreGet, runStoreSet } from './stores.ts'
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
  'save-slot': runSaveSlot,
  'restore-slot': runRestoreSlot,
  transcribe: runTranscribe,
  'transcribe-live': runTranscribeLive,
  converse: runConverse,
  'verify-voice': runVerifyVoice,
  speak: runSpeak,
  'list-voices': runListVoices,
  'make-sound': runMakeSound,
  'detect-speech': runDetectSpeech,
  diarize: runDiarize,
  'classify-sound': runClassifySound,
  'context-size': runContextSize,
  'store-set': runStoreSet,
  'store-get': runStoreGet,
  'store-delete': runStoreDelete,
  'store-find': runStoreFind,
  'make-image': runMakeImage,
  'upscale-image': runUpscaleImage,
  'make-video': runMakeVideo,
  'detect-objects': runDetectObjects,
}

/** Checks of operations that may be refused without their model. */
const CHECKS: { readonly [K in OperationKind]?: OperationCheck<K> } = {
  'save-slot': checkSaveSlot,
  'restore-slot': checkRestoreSlot,
}

/**
 * Refuses an operation before its model is loaded; undefined for an operation without such a check.
 *
 * @throws SvcError the refusal
 */
export function checkOperation<K extends OperationKind>(
  request: OperationRequest<K>,
  context: CheckContext,
): Promise<void> | undefined {
  // As in runOperation.
  const check = CHECKS[request.kind as K] as OperationCheck<K> | undefined
  return check?.(request, context)
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

import type { ModelConfig } from '../../catalog/model-config.ts'
import type { PipelineFacts, TurnDetection } from '../ports.ts'
import type { FindModel, PartNames } from './pipeline-parts.ts'

/** Items that models which hear and speak are given. */
const ANY_TO_ANY_ITEMS = 6

/** The settings of turn taking where neither the session nor the pipeline names others. */
const SERVER_VAD: Extract<TurnDetection, { readonly type: 'server_vad' }> = {
  type: 'server_vad',
  threshold: 0.5,
  prefixPaddingMs: 300,
  silenceDurationMs: 500,
  createResponse: true,
  interruptResponse: true,
}

/** What is known of a pipeline beside its file. */
interface KnownFacts {
  readonly names: PartNames
  readonly find: FindModel
  readonly isScanned: boolean
  /** Whether the model of the transcription was not found unable to follow sound. */
  readonly followsSound: boolean
}

/** Reads the facts of a pipeline. */
export function readPipelineFacts(
  model: ModelConfig,
  { names, find, isScanned, followsSound }: KnownFacts,
): PipelineFacts {
  const {
    maxHistoryItems,
    streaming,
    turnDetection,
    voiceRecognition,
    compaction,
    soundDetectionWindowMs = 0,
    soundDetectionHopMs = 0,
  } = model.pipeline ?? {}
  const transcription = names.transcription === undefined ? undefined : find(names.transcription)
  const isAnyToAny = names.conversation !== undefined
  const hasWindow = names.soundDetection !== undefined && soundDetectionWindowMs > 0 && soundDetectionHopMs > 0
  return {
    name: model.name,
    detectsSpeech: names.vad !== undefined,
    transcribes: names.transcription !== undefined,
    transcribesLive: followsSound && transcription !== undefined && mayFollowSound(transcription, model),
    thinks: names.llm !== undefined,
    speaks: names.tts !== undefined,
    isAnyToAny,
    classifiesSounds: names.soundDetection !== undefined,
    recognizesSpeakers: names.voiceRecognition !== undefined,
    announcesSpeakers: readAnnouncement(voiceRecognition?.identity),
    soundWindow: hasWindow ? { windowMs: soundDetectionWindowMs, hopMs: soundDetectionHopMs } : undefined,
    retranscribes: turnDetection?.retranscribe === true,
    isScanned,
    // With a summary the stages need all items: they keep the latest and sum up the others.
    maxHistoryItems:
      compaction?.enabled === true ? 0 : Math.max(0, maxHistoryItems ?? (isAnyToAny ? ANY_TO_ANY_ITEMS : 0)),
    speaksByClause: streaming?.clauseChunking ?? true,
    turnDetection: names.vad === undefined ? null : readTurnDetection(turnDetection),
    voice: (names.tts === undefined ? undefined : find(names.tts)?.tts.voice) || model.tts.voice || '',
    transcriptionModel: transcription?.name ?? names.transcription ?? '',
  }
}

type Identity = NonNullable<NonNullable<NonNullable<ModelConfig['pipeline']>['voiceRecognition']>['identity']>

function readAnnouncement({ announce, announceUnknown }: Identity = {}): PipelineFacts['announcesSpeakers'] {
  if (announce !== true) return 'none'
  return announceUnknown === true ? 'all' : 'known'
}

/** Whether a model may write sound down while it comes: another instance only through a pipeline of its own. */
function mayFollowSound({ serving, proxy }: ModelConfig, { pipeline }: ModelConfig): boolean {
  if (pipeline?.streaming?.transcription === false) return false
  if (serving.kind === 'instance') return (proxy?.realtimePipeline ?? '') !== ''
  return serving.kind === 'backend'
}

function readTurnDetection({
  type,
  eagerness,
}: NonNullable<NonNullable<ModelConfig['pipeline']>['turnDetection']> = {}): TurnDetection {
  if (type?.trim().toLowerCase() !== 'semantic_vad') return SERVER_VAD
  return { type: 'semantic_vad', eagerness: readEagerness(eagerness), createResponse: true, interruptResponse: true }
}

function readEagerness(word: string | undefined): 'low' | 'medium' | 'high' | 'auto' {
  return word === 'low' || word === 'medium' || word === 'high' ? word : 'auto'
}

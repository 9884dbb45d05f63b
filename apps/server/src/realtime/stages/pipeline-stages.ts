import type { Quotas } from '@svc/auth/quotas'
import { areTurnsScanned } from '../../catalog/capabilities.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { isPipeline } from '../../catalog/serving.ts'
import type { PrivateFiles } from '../../files/private-files.ts'
import type { PredictionEvent } from '../../inference/core/events.ts'
import { createInnerContext } from '../../inference/core/inner-context.ts'
import type { RequestCore } from '../../inference/core/pipeline.ts'
import type { HostedTool } from '../../inference/tools/hosted-tool.ts'
import type { TraceRecorder } from '../../monitoring/recorders.ts'
import type { Clock } from '../../ports.ts'
import type { Residency } from '../../residency/residency.ts'
import type { PerformInside } from '../../routing/model-ports.ts'
import type { SpendMeter } from '../../spend/spend-meter.ts'
import type { PipelineStages, StageCall, ThinkRequest } from '../ports.ts'
import { createPartAsker, REALTIME_PATH } from './ask-part.ts'
import { checkStageAccess, refuseStage } from './check-access.ts'
import { createChooser, isChoosable } from './choose-answer.ts'
import { createSoundClassifier } from './classify-sounds.ts'
import { createCompaction } from './compact.ts'
import { createConversing } from './converse.ts'
import { introduceSpeaker } from './introduce-speaker.ts'
import { loadPipeline } from './load-pipeline.ts'
import { noteTurn } from './note-turn.ts'
import { readPipelineFacts } from './pipeline-facts.ts'
import { type FindModel, findPart, isAnyToAny, namePipelineParts, type PartName } from './pipeline-parts.ts'
import { createRecognition } from './recognize-speaker.ts'
import { createSpeaking } from './speak.ts'
import { createStageTimes, type ObserveStage } from './stage-times.ts'
import { askChat } from './think.ts'
import { createTranscriber } from './transcribe.ts'
import { createLiveTranscriber } from './transcribe-live.ts'

/** What stages need of the server. */
export interface StageParts {
  readonly core: Pick<RequestCore, 'serve'>
  /** Runs operations without a slot, a record or a trace: speech is searched several times a second. */
  readonly performQuietly: PerformInside
  readonly findModel: FindModel
  readonly residency: Pick<Residency, 'load'>
  readonly quotas: Pick<Quotas, 'reserve' | 'hasLimits'>
  /** Knows what models cost, for budgets. @default nothing has a price */
  readonly meter?: SpendMeter | undefined
  /** Files of sound on the way to backends. */
  readonly files: Pick<PrivateFiles, 'create'>
  /** Reads tools of servers that a session names. @throws {SvcError} `invalid_request` naming the entry */
  readonly readHostedTools: (tools: readonly unknown[]) => readonly HostedTool[]
  readonly observeStage: ObserveStage
  readonly traces: TraceRecorder
  /** Takes the seconds from the end of speech to the first sound of an answer. */
  readonly observeFirstSound: (seconds: number) => void
  readonly clock: Pick<Clock, 'monotonic'>
}

/**
 * Whether sessions can be held with a model: a pipeline, a model that hears and speaks itself, or one whose file names
 * models of a conversation beside its backend.
 */
export function holdsConversations(model: ModelConfig): boolean {
  const { llm = '', transcription = '', soundDetection = '' } = model.pipeline ?? {}
  return isPipeline(model) || isAnyToAny(model) || `${llm}${transcription}${soundDetection}`.trim() !== ''
}

/** Gives all events in one batch, at the end. */
async function* gather(
  batches: AsyncIterable<readonly PredictionEvent[]>,
): AsyncGenerator<readonly PredictionEvent[], void> {
  const all: PredictionEvent[] = []
  for await (const events of batches) all.push(...events)
  yield all
}

/** Tools of the servers in the file of a model, where it has some. */
const MODEL_SERVERS: HostedTool = { kind: 'model-servers', required: false, ifAny: true }

/**
 * Puts the models of a pipeline behind the stages of one session. Each model is looked up at each call, so that a changed
 * or disabled one counts at once.
 *
 * @param options.through further names by which the caller opened the session, such as an alias
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one line or two for each stage
export function createPipelineStages(
  model: ModelConfig,
  parts: StageParts,
  { through = [] }: { readonly through?: readonly string[] | undefined } = {},
): PipelineStages {
  const { core, files, findModel, quotas, clock } = parts
  const names = namePipelineParts(model, findModel)
  const { pipeline = {} } = model
  const find = (part: PartName): ModelConfig => findPart(part, names, { pipeline: model.name, find: findModel })
  const isScanned = areTurnsScanned(model)
  const asker = createPartAsker(core, {
    name: model.name,
    through: [...new Set([model.name, ...through])],
    filteredAs: isScanned ? { ...model, pii: { ...model.pii, enabled: true } } : undefined,
  })
  const times = createStageTimes(clock, parts.observeStage)
  let followsSound = true
  const { classifier, compaction, voiceRecognition, maxHistoryItems = 0 } = pipeline
  const transcribe = createTranscriber({
    asker,
    files,
    findModel: () => find('transcription'),
    streams: pipeline.streaming?.transcription ?? true,
  })
  const follow = createLiveTranscriber({
    asker,
    times,
    transcribe,
    findModel: () => find('transcription'),
    onUnable: () => {
      followsSound = false
    },
  })
  const speak = createSpeaking({ asker, findModel: () => find('tts'), streams: pipeline.streaming?.tts ?? true })
  const converse = createConversing(asker, () => find('conversation'))
  const classify = createSoundClassifier(asker, { files, findModel: () => find('soundDetection') })
  const recognize = createRecognition({
    settings: voiceRecognition ?? {},
    pipeline: model,
    asker,
    files,
    findModel: () => find('voiceRecognition'),
  })
  const choose =
    classifier?.enabled === true
      ? createChooser({ settings: classifier, asker, findModel: () => find('classifier'), clock })
      : undefined
  const compact =
    compaction?.enabled === true
      ? createCompaction({ settings: compaction, maxHistoryItems, asker, findModel: () => find('summary') })
      : undefined

  const readFacts = () => readPipelineFacts(model, { names, find: findModel, isScanned, followsSound })

  async function* think(request: ThinkRequest, call: StageCall): AsyncGenerator<readonly PredictionEvent[], void> {
    const messages = introduceSpeaker(request.messages, request.speaker, voiceRecognition?.identity)
    if (choose !== undefined && isChoosable(messages)) {
      const { result, answer } = await times.whole('classifier', () => choose(messages, call))
      request.onClassified?.(result)
      if (answer !== 'generate') {
        yield answer
        return
      }
    }
    const { tools, toolChoice, hostedTools = [], approvals, maxTokens, temperature } = request
    const chat = {
      model: find('llm'),
      messages,
      tools: toolChoice === 'none' ? [] : tools,
      toolChoice,
      hostedTools: toolChoice === 'none' ? [] : [...parts.readHostedTools(hostedTools), MODEL_SERVERS],
      options: {
        approvals,
        generation: { maxTokens, temperature },
        reasoningEffort: pipeline.reasoningEffort || undefined,
        thinking: pipeline.disableThinking === true ? false : undefined,
      },
    }
    const batches = askChat(asker, chat, call)
    const isWhole = pipeline.streaming?.llm === false
    yield* times.first('language_model', isWhole ? gather(batches) : batches, (events) => events.length > 0)
  }

  return {
    model,
    get facts() {
      return readFacts()
    },
    load: ({ signal }) => loadPipeline(model, { names, find: findModel, residency: parts.residency, signal }),
    check(call) {
      // A model that is not there fails the load, by its key.
      const models = Object.values(names).flatMap((name) => findModel(name) ?? [])
      return checkStageAccess(call, {
        pipeline: findModel(model.name) ?? model,
        through,
        models,
        quotas,
        meter: parts.meter,
      })
    },
    async detectSpeech(samples, { caller, signal }) {
      refuseStage(caller.principal, { pipeline: model, through })
      const route = { method: 'GET', path: REALTIME_PATH, usecase: 'vad', family: 'compatible' } as const
      const context = createInnerContext(caller, { route, isInside: true, signal })
      const request = { kind: 'detect-speech', samples: Array.from(samples) } as const
      const { segments } = await times.whole('speech_detection', () =>
        parts.performQuietly<'detect-speech'>(request, find('vad'), context),
      )
      return segments
    },
    transcribe: (samples, options, call) => times.all('transcription', transcribe(samples, options, call)),
    transcribeLive: (options, call) => (readFacts().transcribesLive ? follow(options, call) : undefined),
    think,
    speak: (text, options, call) => times.whole('speech', () => speak(text, options, call)),
    converse: (turn, call) => times.first('conversation', converse(turn, call), ({ type }) => type === 'audio'),
    classifySounds: (samples, call) => times.whole('sound_detection', () => classify(samples, call)),
    recognizeSpeaker: (samples, call) => times.whole('voice_recognition', () => recognize(samples, call)),
    noteTurn: (turn, caller) => noteTurn(turn, caller, { ...parts, pipeline: model.name }),
    compact: (messages, call) =>
      compact === undefined ? Promise.resolve(messages) : times.whole('summary', () => compact(messages, call)),
  }
}

import { memoryUsage } from 'node:process'
import { RerankSupport, SlotSupport, StatusResponse_State } from '@svc/backend-client/proto'
import { type BackendHandlers, describeHandlers, type ExtensionHandlers } from '@svc/backend-kit'
import type { ModelHost } from '../model-host.ts'
import type { SpeechModel, Voice } from '../speech-model.ts'

/** What a model needs for a method. */
const NEEDS: Readonly<Record<string, keyof SpeechModel>> = {
  AudioTranscription: 'transcriber',
  AudioTranscriptionStream: 'transcriber',
  TTS: 'synthesizer',
  TTSStream: 'synthesizer',
  VAD: 'speechDetector',
  Diarize: 'diarizer',
}

/** Status. */
export function createStatusHandlers(host: ModelHost): Pick<BackendHandlers, 'status'> {
  return {
    status: () => {
      const engine = host.current?.memoryBytes ?? 0
      return {
        state: readState(host),
        memory: { total: BigInt(memoryUsage.rss() + engine), breakdown: { engine: BigInt(engine) } },
      }
    },
  }
}

/** Capabilities of the handlers, limited to what the loaded model can do. */
export function createCapabilities(
  host: ModelHost,
  handlers: BackendHandlers,
): NonNullable<ExtensionHandlers['capabilities']> {
  return ({ modelIdentity }) => {
    const model = host.current
    if (model !== undefined) host.use(modelIdentity)
    const described = describeHandlers(handlers)
    const has = (rpc: string): boolean => {
      const part = NEEDS[rpc]
      return part === undefined || model === undefined || model[part] !== undefined
    }
    return {
      ...described,
      backend: 'speech',
      rpcs: (described.rpcs ?? []).filter(has),
      inputModalities: model?.transcriber === undefined ? [] : ['audio'],
      rerank: RerankSupport.RERANK_SUPPORT_NONE,
      slots: SlotSupport.SLOT_SUPPORT_NONE,
      slotCount: model?.parallel ?? 0,
      voices: listVoices(model?.synthesizer),
    }
  }
}

/** Voices, then other names of them. */
function listVoices(synthesizer: SpeechModel['synthesizer']): readonly Voice[] {
  if (synthesizer === undefined) return []
  const { voices, aliases } = synthesizer
  return [...voices, ...Array.from(aliases, ([name, { language }]) => ({ name, language }))]
}

function readState({ current }: ModelHost): StatusResponse_State {
  if (current === undefined || current.isLost === true) return StatusResponse_State.UNINITIALIZED
  return current.busy > 0 ? StatusResponse_State.BUSY : StatusResponse_State.READY
}

import { useQuery } from '@tanstack/react-query'
import { useCapabilities } from '../capabilities.ts'
import { type InstalledModel, installedModelsQuery } from '../server-state.ts'
import { hasFeature, useSession } from '../session.ts'

/** Names of the models that serve a usecase, such as `tts`. */
export function listModelsFor(models: readonly InstalledModel[], usecase: string): string[] {
  return models
    .filter(({ capabilities, disabled }) => !disabled && capabilities.includes(`FLAG_${usecase.toUpperCase()}`))
    .map(({ id }) => id)
}

/** What a chat uses to hear and to speak. */
export interface VoiceModels {
  /** Models that write down recordings. */
  readonly hearing: readonly string[]
  /** Models that speak. */
  readonly speaking: readonly string[]
}

/** Models for the microphone and for reading aloud, as far as the viewer may use them. */
export function useVoiceModels(): VoiceModels {
  const { viewer } = useSession()
  const capabilities = useCapabilities()
  const isServed = (feature: 'audio_transcription' | 'audio_speech') =>
    capabilities[feature] && hasFeature(viewer, feature)
  const canHear = isServed('audio_transcription')
  const canSpeak = isServed('audio_speech')
  const { data = [] } = useQuery({ ...installedModelsQuery, enabled: canHear || canSpeak })
  return {
    hearing: canHear ? listModelsFor(data, 'transcript') : [],
    speaking: canSpeak ? listModelsFor(data, 'tts') : [],
  }
}

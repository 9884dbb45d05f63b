import type { ImageInput } from '../images.ts'
import type { SpeechInput } from '../speech.ts'
import { unsupported } from '../status.ts'
import type { TranscribeInput } from '../transcription.ts'
import type { ServiceCall, ServiceTransport } from '../transport.ts'
import { makeImageAtProvider } from './images.ts'
import { createNegotiation } from './negotiate.ts'
import { speakAtProvider, streamFromProvider as streamSpeech } from './speech.ts'
import { streamFromProvider as streamTranscript, transcribeAtProvider } from './transcription.ts'

/** Methods that no route of a provider has, in words for the message. */
const MISSING = {
  makeSound: 'sound generation',
  diarize: 'diarization',
  detectSpeech: 'voice activity detection',
  classifySound: 'sound classification',
  transformAudio: 'audio transformation',
  upscaleImage: 'the enlarging of images',
  makeVideo: 'video generation',
  makeShape: 'the generation of shapes',
  detect: 'object detection',
  measureDepth: 'the measuring of depth',
  verifyFaces: 'the comparison of faces',
  analyzeFaces: 'the analysis of faces',
  verifyVoices: 'the comparison of voices',
  analyzeVoice: 'the analysis of voices',
  embedVoice: 'the embedding of voices',
  storesSet: 'a vector store',
  storesDelete: 'a vector store',
  storesGet: 'a vector store',
  storesFind: 'a vector store',
} as const

/** The methods that differ at a provider with OpenAI's routes. Those that it has no route for are not implemented. */
export function createProviderMethods(transport: ServiceTransport) {
  const images = createNegotiation()
  const transcripts = createNegotiation()
  const missing = Object.entries(MISSING).map(([name, what]) => [name, () => Promise.reject(unsupported(what))])
  return {
    ...(Object.fromEntries(missing) as { readonly [Name in keyof typeof MISSING]: () => Promise<never> }),
    speak: (input: SpeechInput, call: ServiceCall) => speakAtProvider(transport, input, call),
    speakStream: (input: SpeechInput, call: ServiceCall) => streamSpeech(transport, input, call),
    makeImage: (input: ImageInput, call: ServiceCall) =>
      makeImageAtProvider(transport, input, { call, negotiate: images }),
    transcribe: (input: TranscribeInput, call: ServiceCall) =>
      transcribeAtProvider(transport, input, { call, negotiate: transcripts }),
    transcribeStream: (input: TranscribeInput, call: ServiceCall) =>
      streamTranscript(transport, input, { call, negotiate: transcripts }),
  }
}

import { BackendDefinition } from '../gen/backend.ts'
import { duplex, serverStream, unary } from '../method.ts'

const { fullName, methods } = BackendDefinition

/** Speech, sound and speakers. */
export const audioMethods = {
  /** Transcribes an audio file, whole. */
  audioTranscription: unary(fullName, methods.audioTranscription),
  /** Transcribes an audio file: deltas, then one final result. */
  audioTranscriptionStream: serverStream(fullName, methods.audioTranscriptionStream),
  /** Transcribes audio while it arrives: config, ready, audio frames, half-close, final result. */
  audioTranscriptionLive: duplex(fullName, methods.audioTranscriptionLive),
  /** Writes speech to dst. */
  tts: unary(fullName, methods.tTS),
  /** Speech as it is made: first a reply whose message is JSON naming sample_rate, then PCM in audio. */
  ttsStream: serverStream(fullName, methods.tTSStream),
  /** Writes sound or music to dst. */
  soundGeneration: unary(fullName, methods.soundGeneration),
  /** Names the sounds in an audio file. */
  soundDetection: unary(fullName, methods.soundDetection),
  /** Tells the speakers of an audio file apart. */
  diarize: unary(fullName, methods.diarize),
  /** PCM to Opus frames of 20 ms. */
  audioEncode: unary(fullName, methods.audioEncode),
  /** Opus frames to PCM. */
  audioDecode: unary(fullName, methods.audioDecode),
  /** Cleans or changes an audio file. */
  audioTransform: unary(fullName, methods.audioTransform),
  /** The same on frames: config first, then frames. */
  audioTransformStream: duplex(fullName, methods.audioTransformStream),
  /** A spoken conversation: config first, then frames and controls. */
  audioToAudioStream: duplex(fullName, methods.audioToAudioStream),
  /** Whether two recordings are of the same speaker. */
  voiceVerify: unary(fullName, methods.voiceVerify),
  /** Attributes of the speakers in a recording. */
  voiceAnalyze: unary(fullName, methods.voiceAnalyze),
  /** Speaker vector of a recording. */
  voiceEmbed: unary(fullName, methods.voiceEmbed),
} as const

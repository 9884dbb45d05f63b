import {
  AudioDecodeRequest,
  AudioDecodeResult,
  AudioEncodeRequest,
  AudioEncodeResult,
  AudioToAudioRequest,
  AudioToAudioResponse,
  AudioTransformFrameRequest,
  AudioTransformFrameResponse,
  AudioTransformRequest,
  AudioTransformResult,
  BackendService,
  DiarizeRequest,
  DiarizeResponse,
  Reply,
  Result,
  SoundDetectionRequest,
  SoundDetectionResponse,
  SoundGenerationRequest,
  TranscriptLiveRequest,
  TranscriptLiveResponse,
  TranscriptRequest,
  TranscriptResult,
  TranscriptStreamResponse,
  TTSRequest,
  VoiceAnalyzeRequest,
  VoiceAnalyzeResponse,
  VoiceEmbedRequest,
  VoiceEmbedResponse,
  VoiceVerifyRequest,
  VoiceVerifyResponse,
} from '../gen/backend.ts'
import { duplex, serverStream, unary } from '../method.ts'

/** Speech, sound and speakers. */
export const audioMethods = {
  /** Transcribes an audio file, whole. */
  audioTranscription: unary(BackendService.audioTranscription, TranscriptRequest, TranscriptResult),
  /** Transcribes an audio file: deltas, then one final result. */
  audioTranscriptionStream: serverStream(
    BackendService.audioTranscriptionStream,
    TranscriptRequest,
    TranscriptStreamResponse,
  ),
  /** Transcribes audio while it arrives: config, ready, audio frames, half-close, final result. */
  audioTranscriptionLive: duplex(BackendService.audioTranscriptionLive, TranscriptLiveRequest, TranscriptLiveResponse),
  /** Writes speech to dst. */
  tts: unary(BackendService.tts, TTSRequest, Result),
  /** Speech as it is made: first a reply whose message is JSON naming sample_rate, then PCM in audio. */
  ttsStream: serverStream(BackendService.ttsStream, TTSRequest, Reply),
  /** Writes sound or music to dst. */
  soundGeneration: unary(BackendService.soundGeneration, SoundGenerationRequest, Result),
  /** Names the sounds in an audio file. */
  soundDetection: unary(BackendService.soundDetection, SoundDetectionRequest, SoundDetectionResponse),
  /** Tells the speakers of an audio file apart. */
  diarize: unary(BackendService.diarize, DiarizeRequest, DiarizeResponse),
  /** PCM to Opus frames of 20 ms. */
  audioEncode: unary(BackendService.audioEncode, AudioEncodeRequest, AudioEncodeResult),
  /** Opus frames to PCM. */
  audioDecode: unary(BackendService.audioDecode, AudioDecodeRequest, AudioDecodeResult),
  /** Cleans or changes an audio file. */
  audioTransform: unary(BackendService.audioTransform, AudioTransformRequest, AudioTransformResult),
  /** The same on frames: config first, then frames. */
  audioTransformStream: duplex(
    BackendService.audioTransformStream,
    AudioTransformFrameRequest,
    AudioTransformFrameResponse,
  ),
  /** A spoken conversation: config first, then frames and controls. */
  audioToAudioStream: duplex(BackendService.audioToAudioStream, AudioToAudioRequest, AudioToAudioResponse),
  /** Whether two recordings are of the same speaker. */
  voiceVerify: unary(BackendService.voiceVerify, VoiceVerifyRequest, VoiceVerifyResponse),
  /** Attributes of the speakers in a recording. */
  voiceAnalyze: unary(BackendService.voiceAnalyze, VoiceAnalyzeRequest, VoiceAnalyzeResponse),
  /** Speaker vector of a recording. */
  voiceEmbed: unary(BackendService.voiceEmbed, VoiceEmbedRequest, VoiceEmbedResponse),
} as const

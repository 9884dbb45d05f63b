/** The file formats that {@link sniffAudio} knows. */
export type AudioContainer =
  | 'wav'
  | 'mp3'
  | 'flac'
  | 'ogg'
  | 'mp4'
  | 'adts'
  | 'webm'
  | 'matroska'
  | 'aiff'
  | 'amr'
  | 'caf'
  | 'asf'

/** The codecs that {@link sniffAudio} tells apart. `pcm` is integers, `float` is floating point. */
export type AudioCodec =
  | 'pcm'
  | 'float'
  | 'alaw'
  | 'mulaw'
  | 'mp2'
  | 'mp3'
  | 'aac'
  | 'alac'
  | 'flac'
  | 'opus'
  | 'vorbis'
  | 'speex'
  | 'amr-nb'
  | 'amr-wb'

/** The type of an audio file, as its first bytes tell it. */
export interface SniffedAudio {
  readonly container: AudioContainer
  /** Undefined when the given bytes do not tell it. */
  readonly codec: AudioCodec | undefined
  /** The media type, such as `audio/mpeg`. Files of `mp4` and `matroska` may hold a video beside the audio. */
  readonly mediaType: string
}

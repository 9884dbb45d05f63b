import { block, choice, fileName, flag, freeMap, integer, list, number, numberIn, plainText } from './fields.ts'

const VOICE_RECOGNITION = block({
  model: plainText,
  mode: choice('identify', 'verify'),
  threshold: numberIn({ min: 0, max: 2 }),
  when: choice('every', 'first'),
  on_reject: choice('drop_event', 'drop_silent'),
  anti_spoofing: flag,
  allow: block({ names: list(plainText), labels: list(plainText) }),
  references: list(block({ name: plainText, audio: fileName })),
  enforce: flag,
  identity: block({
    announce: flag,
    announce_unknown: flag,
    personalize: flag,
    inject_name: flag,
    inject_system_note: flag,
    note_unknown: flag,
  }),
})

const PIPELINE_CLASSIFIER = block({
  enabled: flag,
  model: plainText,
  threshold: number,
  normalization: plainText,
  history_items: integer,
  fallback: block({ mode: plainText, reply: plainText }),
  options: list(
    block({
      id: plainText,
      description: plainText,
      reply: plainText,
      tool: block({
        name: plainText,
        arguments: freeMap,
        slots: list(
          block({
            name: plainText,
            type: choice('number', 'enum', 'string'),
            values: list(plainText),
            default: plainText,
            hint: plainText,
          }),
        ),
      }),
    }),
  ),
  address: block({ names: list(plainText), mode: plainText, reply: plainText }),
})

/** The `pipeline` block: the models of a realtime conversation. */
export const PIPELINE = {
  llm: plainText,
  tts: plainText,
  transcription: plainText,
  vad: plainText,
  sound_detection: plainText,
  sound_detection_window_ms: integer,
  sound_detection_hop_ms: integer,
  reasoning_effort: plainText,
  streaming: block({ llm: flag, tts: flag, transcription: flag, clause_chunking: flag }),
  disable_thinking: flag,
  max_history_items: integer,
  compaction: block({ enabled: flag, trigger_items: integer, summary_model: plainText, max_summary_tokens: integer }),
  disable_warmup: flag,
  turn_detection: block({ type: plainText, eagerness: plainText, retranscribe: flag, vad_window_sec: number }),
  voice_recognition: VOICE_RECOGNITION,
  classifier: PIPELINE_CLASSIFIER,
}

/**
 * The contract of `backend.Backend` as LocalAI serves it, written down a second time, so that a slip in
 * `protos/backend.proto` shows. One line a message: `number name type`, `[]` repeated, `?` with explicit
 * presence, `reserved N`, `oneof NAME: …` over all fields.
 */

export const RPCS = [
  'Health(HealthMessage) Reply',
  'Free(HealthMessage) Result',
  'Predict(PredictOptions) Reply',
  'LoadModel(ModelOptions) Result',
  'PredictStream(PredictOptions) Reply server stream',
  'Embedding(PredictOptions) EmbeddingResult',
  'GenerateImage(GenerateImageRequest) Result',
  'UpscaleImage(UpscaleImageRequest) Result',
  'GenerateVideo(GenerateVideoRequest) Result',
  'Generate3D(Generate3DRequest) Result',
  'AudioTranscription(TranscriptRequest) TranscriptResult',
  'AudioTranscriptionStream(TranscriptRequest) TranscriptStreamResponse server stream',
  'AudioTranscriptionLive(TranscriptLiveRequest) TranscriptLiveResponse bidi',
  'TTS(TTSRequest) Result',
  'TTSStream(TTSRequest) Reply server stream',
  'SoundGeneration(SoundGenerationRequest) Result',
  'TokenizeString(PredictOptions) TokenizationResponse',
  'Detokenize(DetokenizeRequest) DetokenizeResponse',
  'Status(HealthMessage) StatusResponse',
  'Detect(DetectOptions) DetectResponse',
  'SoundDetection(SoundDetectionRequest) SoundDetectionResponse',
  'Depth(DepthRequest) DepthResponse',
  'FaceVerify(FaceVerifyRequest) FaceVerifyResponse',
  'FaceAnalyze(FaceAnalyzeRequest) FaceAnalyzeResponse',
  'VoiceVerify(VoiceVerifyRequest) VoiceVerifyResponse',
  'VoiceAnalyze(VoiceAnalyzeRequest) VoiceAnalyzeResponse',
  'VoiceEmbed(VoiceEmbedRequest) VoiceEmbedResponse',
  'StoresSet(StoresSetOptions) Result',
  'StoresDelete(StoresDeleteOptions) Result',
  'StoresGet(StoresGetOptions) StoresGetResult',
  'StoresFind(StoresFindOptions) StoresFindResult',
  'Rerank(RerankRequest) RerankResult',
  'TokenClassify(TokenClassifyRequest) TokenClassifyResponse',
  'Score(ScoreRequest) ScoreResponse',
  'GetMetrics(MetricsRequest) MetricsResponse',
  'VAD(VADRequest) VADResponse',
  'Diarize(DiarizeRequest) DiarizeResponse',
  'AudioEncode(AudioEncodeRequest) AudioEncodeResult',
  'AudioDecode(AudioDecodeRequest) AudioDecodeResult',
  'AudioTransform(AudioTransformRequest) AudioTransformResult',
  'AudioTransformStream(AudioTransformFrameRequest) AudioTransformFrameResponse bidi',
  'AudioToAudioStream(AudioToAudioRequest) AudioToAudioResponse bidi',
  'ModelMetadata(ModelOptions) ModelMetadataResponse',
  'StartFineTune(FineTuneRequest) FineTuneJobResult',
  'FineTuneProgress(FineTuneProgressRequest) FineTuneProgressUpdate server stream',
  'StopFineTune(FineTuneStopRequest) Result',
  'ListCheckpoints(ListCheckpointsRequest) ListCheckpointsResponse',
  'ExportModel(ExportModelRequest) Result',
  'StartQuantization(QuantizationRequest) QuantizationJobResult',
  'QuantizationProgress(QuantizationProgressRequest) QuantizationProgressUpdate server stream',
  'StopQuantization(QuantizationStopRequest) Result',
  'Forward(ForwardRequest) ForwardReply bidi',
] as const

export const MESSAGES: Readonly<Record<string, string>> = {
  HealthMessage: '',
  Result: '1 message string; 2 success bool',
  Reply:
    '1 message bytes; 2 tokens int32; 3 prompt_tokens int32; 4 timing_prompt_processing double; 5 timing_token_generation double; 6 audio bytes; 7 logprobs bytes; 8 chat_deltas ChatDelta[]',
  ChatDelta: '1 content string; 2 reasoning_content string; 3 tool_calls ToolCallDelta[]',
  ToolCallDelta: '1 index int32; 2 id string; 3 name string; 4 arguments string',
  Message:
    '1 role string; 2 content string; 3 name string; 4 tool_call_id string; 5 reasoning_content string; 6 tool_calls string',
  PredictOptions:
    '1 Prompt string; 2 Seed int32; 3 Threads int32; 4 Tokens int32; 5 TopK int32; 6 Repeat int32; 7 Batch int32; 8 NKeep int32; 9 Temperature float; 10 Penalty float; 11 F16KV bool; 12 DebugMode bool; 13 StopPrompts string[]; 14 IgnoreEOS bool; 15 TailFreeSamplingZ float; 16 TypicalP float; 17 FrequencyPenalty float; 18 PresencePenalty float; 19 Mirostat int32; 20 MirostatETA float; 21 MirostatTAU float; 22 PenalizeNL bool; 23 LogitBias string; 25 MLock bool; 26 MMap bool; 27 PromptCacheAll bool; 28 PromptCacheRO bool; 29 Grammar string; 30 MainGPU string; 31 TensorSplit string; 32 TopP float; 33 PromptCachePath string; 34 Debug bool; 35 EmbeddingTokens int32[]; 36 Embeddings string; 37 RopeFreqBase float; 38 RopeFreqScale float; 39 NegativePromptScale float; 40 NegativePrompt string; 41 NDraft int32; 42 Images string[]; 43 UseTokenizerTemplate bool; 44 Messages Message[]; 45 Videos string[]; 46 Audios string[]; 47 CorrelationId string; 48 Tools string; 49 ToolChoice string; 50 Logprobs int32; 51 TopLogprobs int32; 52 Metadata map<string, string>; 53 MinP float; 54 ModelIdentity string; reserved 24',
  ModelOptions:
    '1 Model string; 2 ContextSize int32; 3 Seed int32; 4 NBatch int32; 5 F16Memory bool; 6 MLock bool; 7 MMap bool; 8 VocabOnly bool; 9 LowVRAM bool; 10 Embeddings bool; 11 NUMA bool; 12 NGPULayers int32; 13 MainGPU string; 14 TensorSplit string; 15 Threads int32; 17 RopeFreqBase float; 18 RopeFreqScale float; 19 RMSNormEps float; 20 NGQA int32; 21 ModelFile string; 26 PipelineType string; 27 SchedulerType string; 28 CUDA bool; 29 CFGScale float; 30 IMG2IMG bool; 31 CLIPModel string; 32 CLIPSubfolder string; 33 CLIPSkip int32; 34 Tokenizer string; 35 LoraBase string; 36 LoraAdapter string; 37 NoMulMatQ bool; 38 AudioPath string; 39 DraftModel string; 40 Quantization string; 41 MMProj string; 42 LoraScale float; 43 RopeScaling string; 44 YarnExtFactor float; 45 YarnAttnFactor float; 46 YarnBetaFast float; 47 YarnBetaSlow float; 48 ControlNet string; 49 Type string; 50 GPUMemoryUtilization float; 51 TrustRemoteCode bool; 52 EnforceEager bool; 53 SwapSpace int32; 54 MaxModelLen int32; 55 TensorParallelSize int32; 56 FlashAttention string; 57 NoKVOffload bool; 58 LoadFormat string; 59 ModelPath string; 60 LoraAdapters string[]; 61 LoraScales float[]; 62 Options string[]; 63 CacheTypeKey string; 64 CacheTypeValue string; 65 GrammarTriggers GrammarTrigger[]; 66 DisableLogStatus bool; 67 DType string; 68 LimitImagePerPrompt int32; 69 LimitVideoPerPrompt int32; 70 LimitAudioPerPrompt int32; 71 Reranking bool; 72 Overrides string[]; 73 EngineArgs string; 74 Proxy ProxyOptions; 75 EnableScore bool',
  GrammarTrigger: '1 word string',
  ProxyOptions:
    '1 upstream_url string; 2 mode string; 3 provider string; 4 api_key_env string; 5 api_key_file string; 6 upstream_model string; 7 request_timeout_seconds int32; 8 cache_prompt bool',
  EmbeddingResult: '1 embeddings float[]; 2 tokens int32; 3 dim int32; 4 prompt_tokens int32; 5 layout EmbeddingLayout',
  TokenizationResponse: '1 length int32; 2 tokens int32[]',
  DetokenizeRequest: '1 tokens int32[]',
  DetokenizeResponse: '1 content string',
  StatusResponse: '1 state State; 2 memory MemoryUsageData',
  MemoryUsageData: '1 total uint64; 2 breakdown map<string, uint64>',
  MetricsRequest: '',
  MetricsResponse:
    '1 slot_id int32; 2 prompt_json_for_slot string; 3 tokens_per_second float; 4 tokens_generated int32; 5 prompt_tokens_processed int32',
  ModelMetadataResponse:
    '1 supports_thinking bool; 2 rendered_template string; 3 tool_format ToolFormatMarkers; 4 media_marker string',
  ToolFormatMarkers:
    '1 format_type string; 2 section_start string; 3 section_end string; 4 per_call_start string; 5 per_call_end string; 6 func_name_prefix string; 7 func_name_suffix string; 8 func_close string; 9 arg_name_prefix string; 10 arg_name_suffix string; 11 arg_value_prefix string; 12 arg_value_suffix string; 13 arg_separator string; 14 name_field string; 15 args_field string; 16 id_field string; 17 fun_name_is_key bool; 18 tools_array_wrapped bool; 20 reasoning_start string; 21 reasoning_end string; 22 content_start string; 23 content_end string; 24 args_start string; 25 args_end string; 26 function_field string; 27 parameter_order string[]; 28 gen_id_field string; 29 call_id_position string; 30 call_id_prefix string; 31 call_id_suffix string; reserved 19',
  ScoreRequest:
    '1 prompt string; 2 candidates string[]; 3 include_token_logprobs bool; 4 length_normalize bool; 5 ModelIdentity string; 6 stable_prefix_len int32',
  ScoreResponse: '1 candidates CandidateScore[]',
  CandidateScore: '1 log_prob double; 2 length_normalized_log_prob double; 3 tokens TokenLogProb[]; 4 num_tokens int32',
  TokenLogProb: '1 token string; 2 log_prob double',
  TokenClassifyRequest: '1 text string; 2 threshold float; 3 ModelIdentity string',
  TokenClassifyResponse: '1 entities TokenClassifyEntity[]',
  TokenClassifyEntity: '1 entity_group string; 2 start int32; 3 end int32; 4 score float; 5 text string',
  RerankRequest: '1 query string; 2 documents string[]; 3 top_n int32; 4 ModelIdentity string',
  RerankResult: '1 usage Usage; 2 results DocumentResult[]',
  Usage: '1 total_tokens int32; 2 prompt_tokens int32',
  DocumentResult: '1 index int32; 2 text string; 3 relevance_score float',
  StoresKey: '1 Floats float[]',
  StoresValue: '1 Bytes bytes',
  StoresSetOptions: '1 Keys StoresKey[]; 2 Values StoresValue[]',
  StoresDeleteOptions: '1 Keys StoresKey[]',
  StoresGetOptions: '1 Keys StoresKey[]',
  StoresGetResult: '1 Keys StoresKey[]; 2 Values StoresValue[]',
  StoresFindOptions: '1 Key StoresKey; 2 TopK int32',
  StoresFindResult: '1 Keys StoresKey[]; 2 Values StoresValue[]; 3 Similarities float[]',
  VADRequest: '1 audio float[]; 2 ModelIdentity string',
  VADResponse: '1 segments VADSegment[]',
  VADSegment: '1 start float; 2 end float',
  TranscriptRequest:
    '2 dst string; 3 language string; 4 threads uint32; 5 translate bool; 6 diarize bool; 7 prompt string; 8 temperature float; 9 timestamp_granularities string[]; 10 stream bool; 11 ModelIdentity string',
  TranscriptResult: '1 segments TranscriptSegment[]; 2 text string; 3 language string; 4 duration float; 5 eou bool',
  TranscriptSegment:
    '1 id int32; 2 start int64; 3 end int64; 4 text string; 5 tokens int32[]; 6 speaker string; 7 words TranscriptWord[]',
  TranscriptWord: '1 start int64; 2 end int64; 3 text string',
  TranscriptStreamResponse: '1 delta string; 2 final_result TranscriptResult',
  TranscriptLiveRequest: 'oneof payload: 1 config TranscriptLiveConfig; 2 audio TranscriptLiveAudio',
  TranscriptLiveConfig: '1 language string; 2 sample_rate int32; 3 params map<string, string>',
  TranscriptLiveAudio: '1 pcm float[]',
  TranscriptLiveResponse:
    '1 ready bool; 2 delta string; 3 eou bool; 4 words TranscriptWord[]; 5 final_result TranscriptResult; 6 eob bool',
  TTSRequest:
    '1 text string; 2 model string; 3 dst string; 4 voice string; 5 language string?; 6 instructions string?; 7 params map<string, string>; 8 ModelIdentity string',
  SoundGenerationRequest:
    '1 text string; 2 model string; 3 dst string; 4 duration float?; 5 temperature float?; 6 sample bool?; 7 src string?; 8 src_divisor int32?; 9 think bool?; 10 caption string?; 11 lyrics string?; 12 bpm int32?; 13 keyscale string?; 14 language string?; 15 timesignature string?; 17 instrumental bool?; 18 ModelIdentity string',
  DiarizeRequest:
    '1 dst string; 2 threads uint32; 3 language string; 4 num_speakers int32; 5 min_speakers int32; 6 max_speakers int32; 7 clustering_threshold float; 8 min_duration_on float; 9 min_duration_off float; 10 include_text bool; 11 ModelIdentity string',
  DiarizeResponse: '1 segments DiarizeSegment[]; 2 num_speakers int32; 3 duration float; 4 language string',
  DiarizeSegment: '1 id int32; 2 start float; 3 end float; 4 speaker string; 5 text string',
  SoundDetectionRequest: '1 src string; 2 top_k int32; 3 threshold float; 4 ModelIdentity string',
  SoundDetectionResponse: '1 detections SoundClass[]',
  SoundClass: '1 label string; 2 score float; 3 index int32',
  AudioEncodeRequest: '1 pcm_data bytes; 2 sample_rate int32; 3 channels int32; 4 options map<string, string>',
  AudioEncodeResult: '1 frames bytes[]; 2 sample_rate int32; 3 samples_per_frame int32',
  AudioDecodeRequest: '1 frames bytes[]; 2 options map<string, string>',
  AudioDecodeResult: '1 pcm_data bytes; 2 sample_rate int32; 3 samples_per_frame int32',
  AudioTransformRequest:
    '1 audio_path string; 2 reference_path string; 3 dst string; 4 params map<string, string>; 5 ModelIdentity string',
  AudioTransformResult:
    '1 dst string; 2 sample_rate int32; 3 samples int32; 4 reference_provided bool; 5 stems AudioTransformStem[]',
  AudioTransformStem: '1 name string; 2 dst string',
  AudioTransformFrameRequest: 'oneof payload: 1 config AudioTransformStreamConfig; 2 frame AudioTransformFrame',
  AudioTransformStreamConfig:
    '1 sample_format SampleFormat; 2 sample_rate int32; 3 frame_samples int32; 4 params map<string, string>; 5 reset bool',
  AudioTransformFrame: '1 audio_pcm bytes; 2 reference_pcm bytes',
  AudioTransformFrameResponse: '1 pcm bytes; 2 frame_index int64',
  AudioToAudioRequest:
    'oneof payload: 1 config AudioToAudioConfig; 2 frame AudioToAudioFrame; 3 control AudioToAudioControl',
  AudioToAudioConfig:
    '1 input_sample_rate int32; 2 output_sample_rate int32; 3 system_prompt string; 4 voice string; 5 tools string; 6 params map<string, string>; 7 reset bool',
  AudioToAudioFrame: '1 pcm bytes; 2 end_of_input bool',
  AudioToAudioControl: '1 event string; 2 payload bytes',
  AudioToAudioResponse: '1 event string; 2 pcm bytes; 3 sample_rate int32; 4 meta bytes; 5 sequence int64',
  VoiceVerifyRequest:
    '1 audio1 string; 2 audio2 string; 3 threshold float; 4 anti_spoofing bool; 5 ModelIdentity string',
  VoiceVerifyResponse:
    '1 verified bool; 2 distance float; 3 threshold float; 4 confidence float; 5 model string; 6 processing_time_ms float',
  VoiceAnalyzeRequest: '1 audio string; 2 actions string[]; 3 ModelIdentity string',
  VoiceAnalyzeResponse: '1 segments VoiceAnalysis[]',
  VoiceAnalysis:
    '1 start float; 2 end float; 3 age float; 4 dominant_gender string; 5 gender map<string, float>; 6 dominant_emotion string; 7 emotion map<string, float>',
  VoiceEmbedRequest: '1 audio string; 2 ModelIdentity string',
  VoiceEmbedResponse: '1 embedding float[]; 2 model string',
  GenerateImageRequest:
    '1 height int32; 2 width int32; 4 step int32; 5 seed int32; 6 positive_prompt string; 7 negative_prompt string; 8 dst string; 9 src string; 10 EnableParameters string; 11 CLIPSkip int32; 12 ref_images string[]; 13 ModelIdentity string',
  UpscaleImageRequest: '1 src string; 2 dst string; 3 scale int32',
  GenerateVideoRequest:
    '1 prompt string; 2 negative_prompt string; 3 start_image string; 4 end_image string; 5 width int32; 6 height int32; 7 num_frames int32; 8 fps int32; 9 seed int32; 10 cfg_scale float; 11 step int32; 12 dst string; 13 audio string; 14 params map<string, string>; 15 ModelIdentity string',
  Generate3DRequest:
    '1 src string; 2 dst string; 3 seed int32; 4 step int32; 5 cfg_scale float; 6 texture_steps int32; 7 quality string; 8 background string; 9 params map<string, string>',
  DetectOptions:
    '1 src string; 2 prompt string; 3 points float[]; 4 boxes float[]; 5 threshold float; 6 ModelIdentity string',
  DetectResponse: '1 Detections Detection[]',
  Detection:
    '1 x float; 2 y float; 3 width float; 4 height float; 5 confidence float; 6 class_name string; 7 mask bytes',
  DepthRequest:
    '1 src string; 2 dst string; 3 include_depth bool; 4 include_confidence bool; 5 include_pose bool; 6 include_sky bool; 7 include_points bool; 8 points_conf_thresh float; 9 exports string[]; 10 ModelIdentity string',
  DepthResponse:
    '1 width int32; 2 height int32; 3 depth float[]; 4 confidence float[]; 5 sky float[]; 6 extrinsics float[]; 7 intrinsics float[]; 8 num_points int32; 9 points float[]; 10 point_colors bytes; 11 export_paths string[]; 12 is_metric bool',
  FacialArea: '1 x float; 2 y float; 3 w float; 4 h float',
  FaceVerifyRequest: '1 img1 string; 2 img2 string; 3 threshold float; 4 anti_spoofing bool; 5 ModelIdentity string',
  FaceVerifyResponse:
    '1 verified bool; 2 distance float; 3 threshold float; 4 confidence float; 5 model string; 6 img1_area FacialArea; 7 img2_area FacialArea; 8 processing_time_ms float; 9 img1_is_real bool; 10 img1_antispoof_score float; 11 img2_is_real bool; 12 img2_antispoof_score float',
  FaceAnalyzeRequest: '1 img string; 2 actions string[]; 3 anti_spoofing bool; 4 ModelIdentity string',
  FaceAnalyzeResponse: '1 faces FaceAnalysis[]',
  FaceAnalysis:
    '1 region FacialArea; 2 face_confidence float; 3 age float; 4 dominant_gender string; 5 gender map<string, float>; 6 dominant_emotion string; 7 emotion map<string, float>; 8 dominant_race string; 9 race map<string, float>; 10 is_real bool; 11 antispoof_score float',
  FineTuneRequest:
    '1 model string; 2 training_type string; 3 training_method string; 10 adapter_rank int32; 11 adapter_alpha int32; 12 adapter_dropout float; 13 target_modules string[]; 20 learning_rate float; 21 num_epochs int32; 22 batch_size int32; 23 gradient_accumulation_steps int32; 24 warmup_steps int32; 25 max_steps int32; 26 save_steps int32; 27 weight_decay float; 28 gradient_checkpointing bool; 29 optimizer string; 30 seed int32; 31 mixed_precision string; 40 dataset_source string; 41 dataset_split string; 50 output_dir string; 51 job_id string; 55 resume_from_checkpoint string; 60 extra_options map<string, string>',
  FineTuneJobResult: '1 job_id string; 2 success bool; 3 message string',
  FineTuneProgressRequest: '1 job_id string',
  FineTuneProgressUpdate:
    '1 job_id string; 2 current_step int32; 3 total_steps int32; 4 current_epoch float; 5 total_epochs float; 6 loss float; 7 learning_rate float; 8 grad_norm float; 9 eval_loss float; 10 eta_seconds float; 11 progress_percent float; 12 status string; 13 message string; 14 checkpoint_path string; 15 sample_path string; 16 extra_metrics map<string, float>',
  FineTuneStopRequest: '1 job_id string; 2 save_checkpoint bool',
  ListCheckpointsRequest: '1 output_dir string',
  ListCheckpointsResponse: '1 checkpoints CheckpointInfo[]',
  CheckpointInfo: '1 path string; 2 step int32; 3 epoch float; 4 loss float; 5 created_at string',
  ExportModelRequest:
    '1 checkpoint_path string; 2 output_path string; 3 export_format string; 4 quantization_method string; 5 model string; 6 extra_options map<string, string>',
  QuantizationRequest:
    '1 model string; 2 quantization_type string; 3 output_dir string; 4 job_id string; 5 extra_options map<string, string>',
  QuantizationJobResult: '1 job_id string; 2 success bool; 3 message string',
  QuantizationProgressRequest: '1 job_id string',
  QuantizationProgressUpdate:
    '1 job_id string; 2 progress_percent float; 3 status string; 4 message string; 5 output_file string; 6 extra_metrics map<string, float>',
  QuantizationStopRequest: '1 job_id string',
  ForwardHeader: '1 name string; 2 value string',
  ForwardRequest: '1 path string; 2 method string; 3 headers ForwardHeader[]; 4 body_chunk bytes',
  ForwardReply: '1 status int32; 2 headers ForwardHeader[]; 3 body_chunk bytes',
}

export const ENUMS: Readonly<Record<string, string>> = {
  EmbeddingLayout: 'EMBEDDING_LAYOUT_UNSPECIFIED=0; EMBEDDING_LAYOUT_FINAL=1; EMBEDDING_LAYOUT_PER_TOKEN=2',
  'StatusResponse.State': 'UNINITIALIZED=0; BUSY=1; READY=2; ERROR=-1',
  'AudioTransformStreamConfig.SampleFormat': 'F32_LE=0; S16_LE=1',
}

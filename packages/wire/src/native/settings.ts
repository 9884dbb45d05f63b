import * as z from 'zod'

const flag = z.boolean().exactOptional()
const whole = z.int().exactOptional()
const text = z.string().exactOptional()
const texts = z.array(z.string()).exactOptional()
/** A duration in Go's notation, such as `15m` or `500ms`. */
const duration = z.string().exactOptional()
const galleries = z.array(z.looseObject({ url: z.string(), name: z.string().exactOptional() })).exactOptional()

/** The runtime settings: everything in the reply of `GET /api/settings`, any subset in a `POST`. */
export const settings = z.looseObject({
  watchdog_enabled: flag,
  watchdog_idle_enabled: flag,
  watchdog_busy_enabled: flag,
  watchdog_idle_timeout: duration,
  watchdog_busy_timeout: duration,
  watchdog_interval: duration,
  single_backend: flag,
  max_active_backends: whole,
  auto_upgrade_backends: flag,
  prefer_development_backends: flag,
  memory_reclaimer_enabled: flag,
  memory_reclaimer_threshold: z.number().gt(0).max(1).exactOptional(),
  force_eviction_when_busy: flag,
  size_aware_eviction: flag,
  lru_eviction_max_retries: whole,
  lru_eviction_retry_interval: duration,
  threads: whole,
  context_size: whole,
  artifact_download_concurrency: whole,
  vram_budget: text,
  f16: flag,
  debug: flag,
  enable_tracing: flag,
  tracing_max_items: whole,
  tracing_max_body_bytes: whole,
  enable_backend_logging: flag,
  csrf: flag,
  cors: flag,
  cors_allow_origins: text,
  p2p_token: text,
  p2p_network_id: text,
  federated: flag,
  galleries,
  backend_galleries: galleries,
  autoload_galleries: flag,
  autoload_backend_galleries: flag,
  api_keys: texts,
  agent_job_retention_days: whole,
  open_responses_store_ttl: duration,
  agent_pool_enabled: flag,
  agent_pool_default_model: text,
  agent_pool_embedding_model: text,
  agent_pool_max_chunking_size: whole,
  agent_pool_chunk_overlap: whole,
  agent_pool_enable_logs: flag,
  agent_pool_collection_db_path: text,
  agent_pool_database_url: text,
  agent_pool_vector_engine: z.enum(['chromem', 'postgres']).exactOptional(),
  agent_pool_agent_hub_url: text,
  distributed_disk_headroom_check: flag,
  localai_assistant_enabled: flag,
  instance_name: text,
  instance_tagline: text,
  logo_file: text,
  logo_horizontal_file: text,
  favicon_file: text,
  mitm_listen: text,
  pii_default_detectors: texts,
})

/** Reply of `POST /api/settings`. */
export const settingsUpdateReply = z.looseObject({
  success: z.boolean(),
  message: z.string().exactOptional(),
  error: z.string().exactOptional(),
})

/** The runtime settings. */
export type SettingsBody = z.infer<typeof settings>
/** Reply of `POST /api/settings`. */
export type SettingsUpdateReply = z.infer<typeof settingsUpdateReply>

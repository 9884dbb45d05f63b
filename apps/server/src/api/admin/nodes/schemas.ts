import * as z from 'zod'

const status = z.enum(['pending', 'healthy', 'unhealthy', 'offline', 'draining'])
const labels = z.record(z.string(), z.string())

/** A worker. Sizes are bytes; `total_disk` 0 is not known. */
export const wireNode = z.object({
  id: z.string(),
  name: z.string(),
  node_type: z.enum(['backend', 'agent']),
  address: z.string(),
  http_address: z.string(),
  status,
  total_vram: z.number(),
  available_vram: z.number(),
  reserved_vram: z.number(),
  total_ram: z.number(),
  available_ram: z.number(),
  total_disk: z.number(),
  available_disk: z.number(),
  gpu_vendor: z.string(),
  gpu_compute_capability: z.string(),
  capability: z.string().optional(),
  max_replicas_per_model: z.number(),
  max_replicas_per_model_manually_set: z.boolean(),
  vram_budget: z.string().optional(),
  vram_budget_bytes: z.number().optional(),
  vram_budget_manually_set: z.boolean(),
  last_heartbeat: z.string().nullable(),
  created_at: z.string(),
  labels,
  model_count: z.number().optional(),
  in_flight_count: z.number().optional(),
})
export const nodeList = z.array(wireNode)

/** A model on a worker. */
export const wireReplica = z.object({
  id: z.string(),
  node_id: z.string(),
  node_name: z.string().optional(),
  model_name: z.string(),
  replica_index: z.number(),
  address: z.string(),
  state: z.enum(['staging', 'loading', 'loaded', 'unloading', 'idle']),
  in_flight: z.number(),
  last_used: z.string(),
  backend_type: z.string().optional(),
  config_revision: z.string().optional(),
  size_vram: z.number().optional(),
  cleanup_error: z.string().optional(),
  created_at: z.string(),
})
export const replicaList = z.array(wireReplica)

/** Rules of a model. */
export const wireScheduling = z.object({
  id: z.string(),
  model_name: z.string(),
  node_selector: labels,
  min_replicas: z.number(),
  max_replicas: z.number(),
  spread_all: z.boolean(),
  route_policy: z.string(),
  balance_abs_threshold: z.number(),
  balance_rel_threshold: z.number(),
  min_prefix_match: z.number(),
  unsatisfiable_until: z.string().optional(),
  unsatisfiable_ticks: z.number(),
})
export const schedulingList = z.array(wireScheduling)

export const message = z.object({ message: z.string() })
export const wireLabels = labels
/** Backends of a worker. Texts are empty where the worker does not know them. */
export const backendsOfNode = z.array(
  z.object({
    name: z.string(),
    is_system: z.boolean(),
    is_meta: z.boolean(),
    installed_at: z.string(),
    gallery_url: z.string(),
    version: z.string(),
    uri: z.string(),
    digest: z.string(),
  }),
)
export const startedJob = z.object({ jobID: z.string(), statusUrl: z.string(), message: z.string() })
export const replicasValue = z.object({ value: z.number() })
export const budgetValue = z.object({ value: z.string() })
export const reset = z.object({ reset: z.literal(true) })

const bytes = z.string().regex(/^\d{1,15}$/)
/** Query of an explained placement. */
export const placementQuery = z.object({
  model: z.string(),
  size_bytes: bytes.optional(),
  memory_bytes: bytes.optional(),
})

const refusal = z.object({
  filter: z.string(),
  detail: z.string(),
  needed: z.number().optional(),
  available: z.number().optional(),
})
/** Why a model would run where. */
export const placement = z.object({
  model: z.string(),
  decision: z.enum(['chosen', 'wait', 'none']),
  node_id: z.string().optional(),
  node_name: z.string().optional(),
  replica_index: z.number().optional(),
  reason: z.string().optional(),
  nodes: z.array(
    z.object({
      node_id: z.string(),
      node_name: z.string(),
      possible: z.boolean(),
      busy: z.boolean(),
      refusals: z.array(refusal),
      warnings: z.array(refusal),
      evictions: z.array(z.object({ model_name: z.string(), replica_index: z.number() })),
      in_flight: z.number(),
      replicas: z.number(),
      free_memory: z.number().optional(),
    }),
  ),
})

const name = z.string().min(1).max(1000)
/** Body of an installation. */
export const installBody = z.object({
  backend: name.optional(),
  backend_galleries: z.string().max(200_000).optional(),
  uri: z.string().max(4000).optional(),
  name: z.string().max(255).optional(),
  alias: z.string().max(255).optional(),
})
export const backendBody = z.object({ backend: name })
export const modelBody = z.object({ model_name: name })
export const labelsBody = labels
export const replicasBody = z.object({ value: z.number().int().positive() })
export const budgetBody = z.object({ value: z.string().max(32) })

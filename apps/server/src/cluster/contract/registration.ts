import * as z from 'zod'

const bytes = z.number().nonnegative().nullish()

/** Resources as a worker reports them, bytes. Absent: as before. */
const resources = {
  total_vram: bytes,
  available_vram: bytes,
  total_ram: bytes,
  available_ram: bytes,
  total_disk: bytes,
  available_disk: bytes,
  gpu_vendor: z.string().nullish(),
}

/** Body of `POST /api/node/register`. Zero and empty fields mean the same as absent ones. */
export const registration = z.object({
  name: z.string().min(1).max(253),
  node_type: z.enum(['backend', 'agent']).nullish(),
  address: z.string().nullish(),
  http_address: z.string().nullish(),
  /** The registration token, which is in the bearer header as well. */
  token: z.string().nullish(),
  ...resources,
  gpu_compute_capability: z.string().nullish(),
  capability: z.string().nullish(),
  labels: z.record(z.string(), z.string()).nullish(),
  max_replicas_per_model: z.number().int().nonnegative().nullish(),
  vram_budget: z.string().nullish(),
})

/** Reply of a registration, status 201. A worker without credentials for the bus registers again until it has them. */
export const registered = z.object({
  id: z.string(),
  name: z.string(),
  node_type: z.string(),
  status: z.enum(['pending', 'healthy', 'unhealthy', 'offline', 'draining']),
  created_at: z.string(),
  api_token: z.string().optional(),
  nats_jwt: z.string().optional(),
  nats_user_seed: z.string().optional(),
})

/** Body of `POST /api/node/:id/heartbeat`. */
export const heartbeat = z.object(resources)

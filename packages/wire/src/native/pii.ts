import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { compatibleError } from '../openai/error.ts'
import { routerStatus } from './router.ts'

/** Units of an entity's `start` and `end`. */
export const OFFSET_ENCODINGS = ['utf8', 'utf16', 'codepoint'] as const

/** Body of `POST /api/pii/analyze` and `POST /api/pii/redact` (§4.8). */
export const piiTextRequest = z.looseObject({
  /** Scanned as one document. */
  text: z.string(),
  /** Names of detector models; go before `model`. */
  detectors: endAtFirstFault(z.array(z.string())).nullish(),
  /** A model whose policy is used. */
  model: z.string().nullish(),
  /** For admins: also gives `hash_prefix`. @default false */
  reveal: z.boolean().nullish(),
  offset_encoding: z
    .enum(OFFSET_ENCODINGS)
    .nullish()
    .describe('Units of `start` and `end`: bytes of UTF-8 (the default), code units of UTF-16, or code points.'),
})

const OFFSET_UNITS = 'in bytes of UTF-8 unless the request names another `offset_encoding`'

/** One entity found in a text; never the text itself. */
export const piiEntity = z.looseObject({
  /** The group as the detector names it. */
  entity_type: z.string(),
  source: z.enum(['ner', 'pattern']),
  start: z.int().min(0).describe(`Where the entity begins, ${OFFSET_UNITS}.`),
  end: z.int().min(1).describe(`The place behind the entity, ${OFFSET_UNITS}.`),
  /** 0..1. */
  score: z.number(),
  action: z.enum(['mask', 'block', 'allow']),
  /** Absent where the check and the range of the value are right, or where its kind has none. */
  checked: z
    .literal(false)
    .exactOptional()
    .describe('Present where only a label and the form of the value speak for it.'),
  /** The first eight hexadecimal digits of the SHA-256 of the found text; only with `reveal`. */
  hash_prefix: z.string().exactOptional(),
})

/** Reply of `POST /api/pii/analyze`. */
export const piiAnalysis = z.looseObject({
  entities: z.array(piiEntity),
  blocked: z.boolean(),
  correlation_id: z.string(),
})

/** Reply of `POST /api/pii/redact`; a blocked text gets a refusal instead. */
export const piiRedaction = z.looseObject({
  redacted_text: z.string(),
  entities: z.array(piiEntity),
  blocked: z.literal(false),
  masked: z.boolean(),
  correlation_id: z.string(),
})

/** Refusal of `POST /api/pii/redact`: of a blocked text with its findings, or of a request without a detector. */
export const piiRefusal = z.looseObject({
  error: compatibleError,
  entities: z.array(piiEntity).exactOptional(),
  correlation_id: z.string().exactOptional(),
})

/** One line of the audit log (§6.1). */
export const piiEvent = z.looseObject({
  id: z.string(),
  kind: z.enum(['pii', 'proxy_connect', 'proxy_traffic', 'admission', 'administration', 'account']),
  origin: z.enum(['middleware', 'proxy', 'pii_analyze', 'pii_redact', 'api', 'command']).exactOptional(),
  correlation_id: z.string().exactOptional(),
  user_id: z.string().exactOptional(),
  direction: z.enum(['in', 'out']).exactOptional(),
  /** `ner:EMAIL`, `pattern:CARD`, `__unscanned_media__`, `__ner_unavailable__`. */
  pattern_id: z.string().exactOptional(),
  byte_offset: z.int().min(0).describe('Where in its segment the match begins, in bytes of UTF-8.').exactOptional(),
  length: z.int().min(0).describe('Bytes of UTF-8.').exactOptional(),
  /** The segment of the request: `messages[3].content[1].text`. */
  segment: z.string().exactOptional(),
  hash_prefix: z.string().exactOptional(),
  action: z.enum(['mask', 'block', 'allow']).exactOptional(),
  score: z.number().exactOptional(),
  /** Of the intercepting proxy: the host of the connection. */
  host: z.string().exactOptional(),
  /** Whether the connection is intercepted; otherwise it is a tunnel. */
  intercepted: z.boolean().exactOptional(),
  /** The TLS name of a tunnel that is not that of its target. */
  server_name: z.string().exactOptional(),
  /** Whether that tunnel was closed. */
  closed: z.boolean().exactOptional(),
  bytes_sent: z.int().min(0).exactOptional(),
  bytes_received: z.int().min(0).exactOptional(),
  /** 499 for a request whose client left. */
  status_code: z.int().exactOptional(),
  duration_ms: z.number().exactOptional(),
  outcome: z.enum(['relayed', 'blocked', 'refused', 'failed', 'aborted', 'done']).exactOptional(),
  /** Whether the connection became a WebSocket, whose messages are not filtered. */
  upgraded: z.boolean().exactOptional(),
  change: z
    .string()
    .describe('Of a change of the server or of an account: area and verb, such as `user.role`.')
    .exactOptional(),
  target: z.string().describe('What was changed: an id, or the name of a model or backend.').exactOptional(),
  target_name: z.string().exactOptional(),
  details: z.string().describe('Figures and names of the change; never a secret.').exactOptional(),
  tool: z.string().describe('The tool of the assistant that made the change for the caller.').exactOptional(),
  actor: z.string().describe('Name or address of the caller.').exactOptional(),
  via: z.enum(['session', 'api-key', 'shared-key', 'none', 'command']).exactOptional(),
  api_key_id: z.string().exactOptional(),
  address: z.string().describe('Network address of the caller.').exactOptional(),
  created_at: z.string(),
})

/** Reply of `GET /api/pii/events`, newest first. */
export const piiEventList = z.looseObject({ events: z.array(piiEvent) })

/** Reply of `GET /api/middleware/status`: the state of filters, routing, interception and limits. */
export const middlewareStatus = z.looseObject({
  pii: z.looseObject({
    enabled_globally: z.boolean(),
    default_enabled_for_backends: z.array(z.string()),
    models: z.array(
      z.looseObject({
        name: z.string(),
        backend: z.string(),
        enabled: z.boolean(),
        detectors: z.array(z.string()),
        explicit: z.boolean(),
        default_for_backend: z.boolean(),
        detectors_from_default: z.boolean(),
      }),
    ),
    detector_models: z.array(
      z.looseObject({
        name: z.string(),
        backend: z.string(),
        type: z.enum(['ner', 'pattern', 'unknown']),
        default: z.boolean(),
        missing: z.boolean().exactOptional(),
      }),
    ),
    recent_event_count: z.int().min(0),
    default_detectors: z.array(z.string()),
  }),
  router: routerStatus,
  mitm: z.looseObject({
    running: z.boolean(),
    /** Address at which the proxy listens; empty while it does not. */
    listen_addr: z.string(),
    /** Address at which it should listen; empty for none. */
    configured_addr: z.string(),
    /** The reason why it does not run although it should. */
    error: z.string().exactOptional(),
    /** The intercepted hosts, each with the detectors that scan its requests. */
    hosts: z.array(
      z.looseObject({
        host: z.string(),
        /** The models that list it; empty for a default host. */
        models: z.array(z.string()),
        detectors: z.array(z.string()),
        /** Whether its requests are filtered; other requests go on as they came. */
        filtered: z.boolean(),
        /** The paths whose text is filtered. */
        scanned_paths: z.array(z.string()),
        /** Paths on which providers are known to take text that pass unread, as all other paths do. */
        unread_paths: z.array(z.string()),
      }),
    ),
    /** Host → the first model that claims it. */
    host_owners: z.record(z.string(), z.string()),
    /** Hosts that several models claim. */
    host_conflicts: z.array(z.looseObject({ host: z.string(), models: z.array(z.string()) })),
    models: z.array(
      z.looseObject({
        name: z.string(),
        hosts: z.array(z.string()),
        pii_enabled: z.boolean(),
        backend: z.string(),
      }),
    ),
    ca_available: z.boolean(),
    /** The address of the certificate on this server; empty before the proxy has run. */
    ca_cert_url: z.string(),
    /** Figures of the running proxy. */
    counts: z
      .looseObject({
        /** Open connections. */
        intercepted: z.int().min(0),
        tunnels: z.int().min(0),
        /** Since the listener started: CONNECT requests, and the refused ones among them. */
        connects: z.int().min(0),
        refused: z.int().min(0),
        /** Requests on intercepted connections, and requests that the filter blocked. */
        requests: z.int().min(0),
        blocked: z.int().min(0),
        /** Bytes of bodies held for scanning and restoring. */
        buffered_bytes: z.int().min(0),
      })
      .exactOptional(),
  }),
  admission: z.looseObject({
    models: z.array(
      z.looseObject({
        name: z.string(),
        max_concurrent: z.int(),
        retry_after_seconds: z.number(),
        in_flight: z.int().min(0),
      }),
    ),
  }),
})

/** Body of an analyze or redact call. */
export type PiiTextRequest = z.infer<typeof piiTextRequest>
/** One entity found in a text. */
export type PiiEntity = z.infer<typeof piiEntity>
/** Reply of an analyze call. */
export type PiiAnalysis = z.infer<typeof piiAnalysis>
/** Reply of a redact call. */
export type PiiRedaction = z.infer<typeof piiRedaction>
/** Refusal of a redact call. */
export type PiiRefusal = z.infer<typeof piiRefusal>
/** One line of the audit log. */
export type PiiEvent = z.infer<typeof piiEvent>
/** State of filters, routing, interception and limits. */
export type MiddlewareStatus = z.infer<typeof middlewareStatus>

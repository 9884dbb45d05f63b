import {
  BackendService,
  HealthMessage,
  MetricsRequest,
  MetricsResponse,
  ModelMetadataResponse,
  ModelOptions,
  Reply,
  Result,
  StatusResponse,
} from '../gen/backend.ts'
import { unary } from '../method.ts'

/** Process and model: health, load, state. */
export const lifecycleMethods = {
  /** Answers with message "OK" once the process can take calls, whether or not a model is loaded. */
  health: unary(BackendService.health, HealthMessage, Reply),
  /** Loads the one model this process serves. Called once, after Health. */
  loadModel: unary(BackendService.loadModel, ModelOptions, Result),
  /** Releases the model before a stop. Best effort: a backend without it answers UNIMPLEMENTED. */
  free: unary(BackendService.free, HealthMessage, Result),
  /** State and memory of the process. Many backends lack it. */
  status: unary(BackendService.status, HealthMessage, StatusResponse),
  /** Figures of the slot that ran last. */
  getMetrics: unary(BackendService.getMetrics, MetricsRequest, MetricsResponse),
  /** Facts about the loaded model that the host cannot read from its file. */
  modelMetadata: unary(BackendService.modelMetadata, ModelOptions, ModelMetadataResponse),
} as const

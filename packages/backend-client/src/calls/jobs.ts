import {
  BackendService,
  ExportModelRequest,
  FineTuneJobResult,
  FineTuneProgressRequest,
  FineTuneProgressUpdate,
  FineTuneRequest,
  FineTuneStopRequest,
  ListCheckpointsRequest,
  ListCheckpointsResponse,
  QuantizationJobResult,
  QuantizationProgressRequest,
  QuantizationProgressUpdate,
  QuantizationRequest,
  QuantizationStopRequest,
  Result,
} from '../gen/backend.ts'
import { serverStream, unary } from '../method.ts'

/** Training and quantization. */
export const jobsMethods = {
  /** Starts a training job. */
  startFineTune: unary(BackendService.startFineTune, FineTuneRequest, FineTuneJobResult),
  /** Follows a training job. */
  fineTuneProgress: serverStream(BackendService.fineTuneProgress, FineTuneProgressRequest, FineTuneProgressUpdate),
  /** Ends a training job. */
  stopFineTune: unary(BackendService.stopFineTune, FineTuneStopRequest, Result),
  /** Checkpoints in a folder. */
  listCheckpoints: unary(BackendService.listCheckpoints, ListCheckpointsRequest, ListCheckpointsResponse),
  /** Turns a checkpoint into a model. */
  exportModel: unary(BackendService.exportModel, ExportModelRequest, Result),
  /** Starts a quantization job. */
  startQuantization: unary(BackendService.startQuantization, QuantizationRequest, QuantizationJobResult),
  /** Follows a quantization job. */
  quantizationProgress: serverStream(
    BackendService.quantizationProgress,
    QuantizationProgressRequest,
    QuantizationProgressUpdate,
  ),
  /** Ends a quantization job. */
  stopQuantization: unary(BackendService.stopQuantization, QuantizationStopRequest, Result),
} as const

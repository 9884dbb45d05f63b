/**
 * Bodies and events of the responses format.
 *
 * @module
 */
export { type ResponseErrorReply, responseError, responseErrorReply } from './error.ts'
export { type ResponseEvent, responseEvent } from './events.ts'
export {
  RESPONSE_ROLES,
  type ResponseContentPart,
  type ResponseInputItem,
  type ResponseLogprob,
  type ResponseOutputCall,
  type ResponseOutputFileSearch,
  type ResponseOutputItem,
  type ResponseOutputMessage,
  type ResponseOutputReasoning,
  type ResponseOutputServerCall,
  type ResponseOutputToolList,
  responseContentPart,
  responseInputItem,
  responseLogprob,
  responseOutputItem,
} from './items.ts'
export {
  type ResponseCountRequest,
  type ResponseFileSearchTool,
  type ResponseRequest,
  type ResponseServerTool,
  type ResponseTextFormat,
  type ResponseTool,
  type ResponseToolChoice,
  responseCountRequest,
  responseFileSearchTool,
  responseRequest,
  responseServerTool,
  responseTextFormat,
  responseTool,
  responseToolChoice,
} from './request.ts'
export {
  type ResponseCountReply,
  type ResponseResource,
  type ResponseStatus,
  type ResponseUsage,
  responseCountReply,
  responseResource,
  responseStatus,
  responseUsage,
} from './resource.ts'

/**
 * The parts of the mock for tests: its script as typed data, its records, a program to start.
 *
 * @module
 */
export { type MockLauncher, type MockLauncherOptions, writeMockLauncher } from './launcher.ts'
export { createMock, type MockBackend } from './mock.ts'
export { type MockRecord, readRecords } from './records.ts'
export {
  type MockBehaviour,
  type MockCrash,
  type MockFailure,
  type MockRule,
  type MockScript,
  type MockToolCall,
  type MockTranscript,
  mockOptions,
  STATUS_CODES,
} from './script.ts'

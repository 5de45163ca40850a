/** Base of all errors of the SDK. `code` is the contract, the message is for people. */
export class SvcError extends Error {
  readonly code: string;
  /** Whether the same call may succeed later; "Try again" makes sense then only. */
  get retryable(): boolean {
    return true;
  }
  constructor(code: string, message: string) {
    super(message);
    // Apps that lower classes to functions would otherwise get a plain Error, and `instanceof` would be false.
    Object.setPrototypeOf(this, new.target.prototype);
    this.name = 'SvcError';
    this.code = code;
  }
}

/** The configuration cannot work; `field` names the culprit. */
export class SvcConfigError extends SvcError {
  readonly field: string;
  constructor(field: string, problem: string) {
    super('invalid_config', `SvcConfig.${field} ${problem}`);
    this.name = 'SvcConfigError';
    this.field = field;
  }
  override get retryable(): boolean {
    return false;
  }
}

/** The request never got an answer. */
export class SvcNetworkError extends SvcError {
  constructor(message: string, code = 'network_error') {
    super(code, message);
    this.name = 'SvcNetworkError';
  }
}

/** No answer within the time limit. */
export class SvcTimeoutError extends SvcNetworkError {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`, 'timeout');
    this.name = 'SvcTimeoutError';
  }
}

/** The service answered with an error status. */
export class SvcApiError extends SvcError {
  readonly status: number;
  constructor(status: number, code: string, message: string) {
    super(code, message);
    this.name = 'SvcApiError';
    this.status = status;
  }
  override get retryable(): boolean {
    return this.status < 400 || [408, 421, 429].includes(this.status) || this.status >= 500;
  }
}

/** A flow was asked for without a channel id, or with a blank one (400). */
export class SvcChannelRequiredError extends SvcApiError {
  constructor(message = 'a channel id is required') {
    super(400, 'channel_required', message);
    this.name = 'SvcChannelRequiredError';
  }
}

/**
 * Nothing to serve (404). `code` tells why: `channel_not_found` (unknown id, or key and channel belong to
 * different environments), `channel_unassigned`, `version_missing` or `experiment_not_running`.
 */
export class SvcChannelNotFoundError extends SvcApiError {
  constructor(code = 'channel_not_found', message = 'the channel has nothing to serve') {
    super(404, code, message);
    this.name = 'SvcChannelNotFoundError';
  }
}

/** The channel was archived (410). */
export class SvcChannelArchivedError extends SvcApiError {
  constructor(message = 'the channel is archived') {
    super(410, 'channel_archived', message);
    this.name = 'SvcChannelArchivedError';
  }
}

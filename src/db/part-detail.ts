/** What `parts.detail` holds as JSON, by kind: what no statement filters by. Null fields are left out to save space. */
export interface FileDetail {
  readonly mediaType?: string
  readonly fileName?: string
  /** The recorded link, where it isn't inline data. */
  readonly url?: string
}

export interface ToolCallDetail {
  readonly callId?: string
  readonly summary?: string
  readonly command?: string
  readonly mcpServer?: string
  readonly isProviderExecuted?: boolean
  readonly startedAt?: number
  readonly endedAt?: number
  readonly childNativeId?: string
}

export interface ToolResultDetail {
  readonly callId?: string
  readonly isFailure?: boolean
  readonly exitCode?: number
  readonly filePath?: string
  /** The result is a plain string: then the preview, where it is whole, is the result itself. */
  readonly isString?: boolean
}

export interface ApprovalRequestDetail {
  readonly approvalId: string
  readonly toolCallId?: string
}

export interface ApprovalResponseDetail {
  readonly approvalId: string
  readonly isApproved: boolean
  readonly reason?: string
}

export interface DataDetail {
  readonly dataType: string
  readonly label?: string
}

/**
 * What is used of `@mastra/core/storage`, by shape: the package wants Node 22.13 and takes 76 MB, so it is no dev dependency here
 * (docs/decisions/0025-other-frameworks-words.md). Where `npm run setup:runtimes` brought it, test/adapters/mastra.test.ts compiles this folder
 * against the package itself, without this file.
 */
declare module "@mastra/core/storage" {
  export interface StorageMessageType {
    id: string;
    thread_id: string;
    createdAt: Date;
  }
  export interface StorageResourceType {
    id: string;
    createdAt: Date;
    updatedAt: Date;
  }
  export interface StorageWorkflowRun {
    workflow_name: string;
    run_id: string;
    createdAt: Date;
    updatedAt: Date;
  }
  interface StorageThreadType {
    id: string;
    resourceId: string;
    title?: string;
    metadata?: Record<string, unknown>;
    createdAt: Date;
    updatedAt: Date;
  }
  interface Message {
    id: string;
    threadId?: string;
  }
  interface Included {
    id: string;
    threadId?: string;
  }
  interface RunKey {
    workflowName: string;
    runId: string;
  }
  export class InMemoryDB {
    readonly threads: Map<string, StorageThreadType>;
    readonly messages: Map<string, StorageMessageType>;
    readonly resources: Map<string, StorageResourceType>;
    readonly workflows: Map<string, StorageWorkflowRun>;
  }
  abstract class StorageDomain {
    init(): Promise<void>;
    abstract dangerouslyClearAll(): Promise<void>;
    prune(policies: Record<string, object>, options?: object): Promise<object[]>;
  }
  export abstract class MemoryStorage extends StorageDomain {
    readonly supportsObservationalMemory?: boolean;
    readonly supportsPartialThreadUpdate?: boolean;
    abstract getThreadById(args: {
      threadId: string;
      resourceId?: string;
    }): Promise<StorageThreadType | null>;
    abstract saveThread(args: { thread: StorageThreadType }): Promise<StorageThreadType>;
    abstract updateThread(args: {
      id: string;
      title?: string;
      metadata?: Record<string, unknown>;
    }): Promise<StorageThreadType>;
    updateThreadMetadata(args: {
      id: string;
      resourceId?: string;
      update: (thread: StorageThreadType) => Record<string, unknown> | undefined;
    }): Promise<StorageThreadType | null>;
    updateThreadResourceId(args: { threadId: string; resourceId: string }): Promise<StorageThreadType>;
    abstract deleteThread(args: { threadId: string }): Promise<void>;
    abstract listMessages(args: {
      threadId: string | string[];
      include?: Included[];
    }): Promise<{ messages: Message[] }>;
    listMessagesByResourceId(args: { resourceId: string }): Promise<{ messages: Message[] }>;
    abstract listMessagesById(args: { messageIds: string[] }): Promise<{ messages: Message[] }>;
    abstract saveMessages(args: { messages: Message[] }): Promise<{ messages: Message[] }>;
    abstract updateMessages(args: { messages: Message[] }): Promise<Message[]>;
    deleteMessages(messageIds: string[]): Promise<void>;
    abstract listThreads(args: object): Promise<{ threads: StorageThreadType[] }>;
    copyThread(args: {
      sourceThreadId: string;
      newThreadId?: string;
    }): Promise<{ thread: StorageThreadType }>;
    abstract getResourceById(args: { resourceId: string }): Promise<StorageResourceType | null>;
    abstract saveResource(args: { resource: StorageResourceType }): Promise<StorageResourceType>;
    abstract updateResource(args: { resourceId: string }): Promise<StorageResourceType>;
  }
  export class InMemoryMemory extends MemoryStorage {
    constructor(of: { db: InMemoryDB });
    dangerouslyClearAll(): Promise<void>;
    getThreadById(args: { threadId: string; resourceId?: string }): Promise<StorageThreadType | null>;
    saveThread(args: { thread: StorageThreadType }): Promise<StorageThreadType>;
    updateThread(args: {
      id: string;
      title?: string;
      metadata?: Record<string, unknown>;
    }): Promise<StorageThreadType>;
    deleteThread(args: { threadId: string }): Promise<void>;
    listMessages(args: {
      threadId: string | string[];
      include?: Included[];
    }): Promise<{ messages: Message[] }>;
    listMessagesById(args: { messageIds: string[] }): Promise<{ messages: Message[] }>;
    saveMessages(args: { messages: Message[] }): Promise<{ messages: Message[] }>;
    updateMessages(args: { messages: Message[] }): Promise<Message[]>;
    listThreads(args: object): Promise<{ threads: StorageThreadType[] }>;
    getResourceById(args: { resourceId: string }): Promise<StorageResourceType | null>;
    saveResource(args: { resource: StorageResourceType }): Promise<StorageResourceType>;
    updateResource(args: { resourceId: string }): Promise<StorageResourceType>;
  }
  export abstract class WorkflowsStorage extends StorageDomain {
    abstract supportsConcurrentUpdates(): boolean;
    abstract updateWorkflowResults(args: RunKey): Promise<Record<string, object>>;
    abstract updateWorkflowState(args: RunKey): Promise<object | undefined>;
    abstract persistWorkflowSnapshot(args: RunKey): Promise<void>;
    abstract loadWorkflowSnapshot(args: RunKey): Promise<object | null>;
    abstract listWorkflowRuns(args?: object): Promise<{ runs: object[] }>;
    abstract getWorkflowRunById(args: { runId: string; workflowName?: string }): Promise<object | null>;
    abstract deleteWorkflowRunById(args: RunKey): Promise<void>;
  }
  export class WorkflowsInMemory extends WorkflowsStorage {
    constructor(of: { db: InMemoryDB });
    dangerouslyClearAll(): Promise<void>;
    supportsConcurrentUpdates(): boolean;
    updateWorkflowResults(args: RunKey): Promise<Record<string, object>>;
    updateWorkflowState(args: RunKey): Promise<object | undefined>;
    persistWorkflowSnapshot(args: RunKey): Promise<void>;
    loadWorkflowSnapshot(args: RunKey): Promise<object | null>;
    listWorkflowRuns(args?: object): Promise<{ runs: object[] }>;
    getWorkflowRunById(args: { runId: string; workflowName?: string }): Promise<object | null>;
    deleteWorkflowRunById(args: RunKey): Promise<void>;
  }
  export class MastraCompositeStore {
    constructor(config: {
      id: string;
      name?: string;
      domains?: { memory?: MemoryStorage; workflows?: WorkflowsStorage; threadState?: false };
    });
    close(): Promise<void>;
  }
}

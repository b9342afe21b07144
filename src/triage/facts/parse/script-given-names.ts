/** Names that a script has without declaring them: the language's, Node's, browsers', test runners'. */
import { HOST_KIN } from "./script-host-names.ts";

const OWN: readonly string[] = Object.getOwnPropertyNames(globalThis);
const MODULE = [
  "require",
  "module",
  "exports",
  "__dirname",
  "__filename",
  "arguments",
  "undefined",
  "NaN",
  "Infinity",
];
const HOSTS =
  "window document self top frames navigator location history screen localStorage sessionStorage indexedDB alert confirm prompt requestAnimationFrame cancelAnimationFrame requestIdleCallback cancelIdleCallback getComputedStyle matchMedia XMLHttpRequest FileReader File FileList Image Audio Option Node Element HTMLElement SVGElement Document DocumentFragment ShadowRoot Text Comment NodeList DOMParser XMLSerializer MutationObserver ResizeObserver IntersectionObserver CustomEvent UIEvent MouseEvent KeyboardEvent TouchEvent PointerEvent WheelEvent DragEvent ClipboardEvent FocusEvent InputEvent PopStateEvent StorageEvent ProgressEvent CloseEvent ErrorEvent Worker SharedWorker ServiceWorker importScripts postMessage onmessage caches CSS customElements EventSource WebSocket RTCPeerConnection MediaRecorder MediaStream AudioContext OffscreenCanvas ImageData ImageBitmap createImageBitmap Path2D Range Selection getSelection print scroll scrollTo scrollBy opener devicePixelRatio innerWidth innerHeight outerWidth outerHeight pageXOffset pageYOffset process Buffer global setImmediate clearImmediate Deno Bun WorkerGlobalScope DedicatedWorkerGlobalScope ActiveXObject define amd jQuery $ _ angular chrome browser goog ArrayBuffer SharedArrayBuffer Atomics WebAssembly WeakRef FinalizationRegistry AggregateError Iterator Float16Array SuppressedError DisposableStack AsyncDisposableStack Temporal gc FormData Headers Request Response Blob ReadableStream WritableStream TransformStream TextEncoderStream TextDecoderStream CompressionStream DecompressionStream BroadcastChannel MessageChannel MessagePort MessageEvent EventTarget Event AbortController AbortSignal URL URLSearchParams TextEncoder TextDecoder crypto Crypto CryptoKey SubtleCrypto performance structuredClone queueMicrotask fetch DOMException DOMRect DOMMatrix DOMPoint Storage StorageManager Navigator CloseWatcher trustedTypes HTMLCollection NamedNodeMap Attr CharacterData EventListener Symbol JSX React __webpack_require__ __webpack_public_path__ __non_webpack_require__ __DEV__ __VERSION__ EdgeRuntime escape unescape eval".split(
    " ",
  );
const TESTS =
  "describe it test expect before after beforeEach afterEach beforeAll afterAll suite setup teardown specify context jest vi cy Cypress sinon chai assert QUnit jasmine spyOn xit xdescribe fit fdescribe".split(
    " ",
  );

const KNOWN: ReadonlySet<string> = new Set([...OWN, ...MODULE, ...HOSTS, ...TESTS, ...HOST_KIN]);

export const isGlobalName = (name: string): boolean => KNOWN.has(name);

/** Types that are there without being declared. */
const TYPES: ReadonlySet<string> = new Set(
  "Partial Required Readonly Record Pick Omit Exclude Extract NonNullable Parameters ConstructorParameters ReturnType InstanceType ThisParameterType OmitThisParameter ThisType Awaited NoInfer Uppercase Lowercase Capitalize Uncapitalize ReadonlyArray ReadonlyMap ReadonlySet ArrayLike PromiseLike Iterable IterableIterator IteratorObject IteratorResult Generator GeneratorFunction AsyncIterable AsyncIterator AsyncIterableIterator AsyncGenerator TemplateStringsArray PropertyKey PropertyDescriptor PropertyDescriptorMap PropertyDecorator MethodDecorator ClassDecorator ParameterDecorator RegExpMatchArray RegExpExecArray ErrorConstructor ObjectConstructor FunctionConstructor ArrayConstructor PromiseConstructor PromiseConstructorLike CallableFunction NewableFunction IArguments ArrayBufferLike ArrayBufferView BufferSource Transferable EventListenerOrEventListenerObject AddEventListenerOptions RequestInit RequestInfo ResponseInit HeadersInit BodyInit BlobPart NodeJS NodeModule NodeRequire BufferEncoding Timer Thenable Chai Mocha intrinsic this globalThis const Disposable AsyncDisposable WeakKey".split(
    " ",
  ),
);
export const isGlobalType = (name: string): boolean => TYPES.has(name);

import './host';
import '../analytics/product.test';
import '../analytics/small.test';
import '../api/resolver.test';
import '../client/client.test';
import '../events/persistence.test';
import '../events/queue.test';
import '../events/soak.test';
import '../flow/inputs.test';
import '../flow/machine.test';
import '../flow/traces.test';
import '../flow/values.test';
import '../run/flow-run.test';
import '../vectors/bucketing.test';
import '../vectors/shared.test';
import { runTests } from './vitest-shim';

void runTests();

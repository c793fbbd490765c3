/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.HadoopLine;
import io.hdrf.datanode.HdrfSetup;
import io.hdrf.datanode.PacketSize;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.DescriptorRequests;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;

/** The class to name in {@code dfs.datanode.fsdataset.factory}. */
public final class HdrfDatasetFactory extends FsDatasetSpi.Factory<FsDatasetImpl> {

  @Override
  public FsDatasetImpl newInstance(DataNode datanode, DataStorage storage, Configuration conf)
      throws IOException {
    Class<? extends FsDatasetImpl> dataset = datasetOf(conf);
    HdrfSetup setup = setup(conf);
    try {
      return dataset
          .getDeclaredConstructor(
              DataNode.class, DataStorage.class, Configuration.class, HdrfSetup.class)
          .newInstance(datanode, storage, conf, setup);
    } catch (InvocationTargetException e) {
      throw thrownBy(e);
    } catch (ReflectiveOperationException e) {
      throw new IOException(dataset + " can't be made", e);
    }
  }

  /** Chooses by the Hadoop on the class path. */
  private static Class<? extends FsDatasetImpl> datasetOf(Configuration conf) throws IOException {
    HadoopLine line = HadoopLine.of(FsDatasetImpl.class);
    String name = HdrfDataset.class.getName() + line.suffix();
    Class<? extends HdrfDataset> dataset = null;
    List<String> lacking;
    try {
      dataset = Class.forName(name).asSubclass(HdrfDataset.class);
      lacking = StockOverrides.lacking(dataset, FsDatasetImpl.class);
    } catch (ClassNotFoundException e) {
      throw new IOException(
          "The jar of HDRF with " + name + " is not on the class path; install HDRF again", e);
    } catch (LinkageError e) {
      lacking = Collections.singletonList(e.toString());
    }
    line.require(conf, lacking);
    return dataset;
  }

  private static IOException thrownBy(InvocationTargetException e) throws IOException {
    Throwable cause = e.getCause();
    if (cause instanceof Error) {
      throw (Error) cause;
    }
    if (cause instanceof RuntimeException) {
      throw (RuntimeException) cause;
    }
    return cause instanceof IOException ? (IOException) cause : new IOException(cause);
  }

  /** Checks the DataNode's configuration. */
  static HdrfSetup setup(Configuration conf) throws IOException {
    DescriptorRequests.requireRecognizable();
    PacketSize.raiseUnlessConfigured(conf);
    return new HdrfSetup(conf);
  }
}
